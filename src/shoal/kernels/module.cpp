// The extension: every room binds its own kernels.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_lattice(nb::module_& m);
void bind_thresholds(nb::module_& m);
void bind_negotiation(nb::module_& m);
void bind_cuts(nb::module_& m);
void bind_regions(nb::module_& m);
void bind_covers(nb::module_& m);
void bind_value_rules(nb::module_& m);
void bind_risk(nb::module_& m);
void bind_cells(nb::module_& m);

NB_MODULE(_core, m) {
    // A server that is stopped while threads still work ends without freeing what they hold; that is no leak to report.
    nb::set_leak_warnings(false);
    bind_lattice(m);
    bind_thresholds(m);
    bind_negotiation(m);
    bind_cuts(m);
    bind_value_rules(m);
    bind_regions(m);
    bind_covers(m);
    bind_risk(m);
    bind_cells(m);
}
