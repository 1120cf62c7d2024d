// What long loops listen to: Ctrl-C, a server that has nobody left to answer, and the time limit (running/stopping.py).
#pragma once

#include <nanobind/nanobind.h>

#include "common/pause.hpp"

namespace shoal {

inline Pause hearing() {
    return Pause([] {
        nanobind::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
        nanobind::module_::import_("shoal.running.stopping").attr("look")();
    });
}

}  // namespace shoal
