// What long loops listen to: Ctrl-C, a server that has nobody left to answer, and the time limit (running/stopping.py).
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <memory>

#include "common/deadline.hpp"
#include "common/pause.hpp"

namespace shoal {

inline Pause hearing() {
    return Pause([] {
        nanobind::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
        nanobind::module_::import_("shoal.running.stopping").attr("look")();
    });
}

// What says whether a loop that keeps its best so far has to end: its seconds are over, or somebody asked for it, or pressed
// Ctrl-C where nobody catches that. One thread may ask, as often as it likes.
inline std::function<bool()> ending(double seconds) {
    auto asked = std::make_shared<bool>(false);
    auto pause = std::make_shared<Pause>([asked] {
        nanobind::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
        *asked = nanobind::cast<bool>(nanobind::module_::import_("shoal.running.stopping").attr("asked")());
    });
    return [asked, pause, deadline = deadline_after(seconds)] {
        (*pause)();
        return *asked || Clock::now() >= deadline;
    };
}

}  // namespace shoal
