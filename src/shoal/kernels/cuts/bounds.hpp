// What a group costs at least, whatever its open values are specialized to.
//
// A group P of n rows holds items, the finest groups it can split into; in every cut below, its groups are unions of
// items. Facts used, for a metric that is monotone (splitting a group never raises what its rows cost released, a
// deleted row costs no less than a released one):
//   Lemma 2     rows cost at least what they cost at their items;
//   Lemma 3     the rows of P in groups that respect the limits are together a set that respects them, so there are
//               at most keep_most(P) of them: n - keep_most(P) are deleted, or lie in groups that are blanked;
//   Theorem 5   blanked values cost in addition to generalization;
//   Theorem 6   deleted rows cost instead of it: those go first that add the least. With allRec whole items go;
//   need        a group with an item's rows has at least need(item) rows, or it is broken. Where that is more than P
//               can offer, the item's rows are lost (allRec, NoSupp) or blanked (allSA), and P offers so many less;
//   alone       an item that is broken alone is either lost, or released with other rows: then one of its open values
//               stays above its leaf, which costs at least the cheapest such step, and a group of need(item) rows;
//   mixed       with allSA and vioSA such an item has e values blanked beyond those that are blanked in any group (c of
//               all items together), or takes the step. If U are the items that stay alone, P has at least
//               max(B, c + the e of U) values blanked, B being the bound of Lemma 3, and the other items take their
//               steps. The least over all U is no less than with parts of items in U: there the dearest steps for
//               their e are saved first, which is free as long as c + the e of U is at most B.
//
// Where persons are counted, k is about them. What is used of k then:
//   persons     the persons of a part of P are among those of P, so where P has fewer than k, every group below it has:
//               all its rows are lost, or no cut ahead is allowed. With rows for persons this is what Lemma 3 says of k;
//   need        an item of n rows and p < k persons needs k - p others, each with a row outside of it: need is
//               n + k - p rows. For p = n that is k. `alone` follows: it is released with other rows, or lost.
// Lemma 2, Theorem 6, `too many` and `premium` are about rows and costs, whoever the rows belong to.
//
// Where values are limited, too, they are by what persons weigh. Lemma 3 does not hold for shares of persons with rows in
// several combinations: {p with a, q with b} and {r with a, q with b} have a at a half, their union at two thirds. But a
// group that respects the limits respects them by the weights of cuts/person_shares.hpp, which add up. So Lemma 3 and `need`
// hold for these weights in the place of rows: `need`, and what P can offer, are weights, and of P so much weight is lost
// at least. A group that is lost or blanked has as many rows as its weight over the scale at least, and so has each of its
// values; and where items must weigh so much in sum, those go first that add the least for their weight.
//
// Where at most L rows may be deleted, or values blanked ("lost"), two more facts hold for a cut within the limit:
//   too many    P loses at least what Lemma 3 and `need` say, whatever it is specialized to; where the groups of a cut
//               lose more than L at least, no cut ahead is within the limit;
//   premium     for any p >= 0, a cut that costs c and loses s <= L has c >= (c + p s) - p L. And c + p s is what it
//               costs where each of what is lost costs p more: a cost that is monotone as the first one is, so all
//               bounds above hold for it. So their sum, less p L, bounds c. The premium p is the same in the whole
//               search, because groups are remembered with their bounds; which one it is makes the proof longer or
//               shorter (cuts/descents.hpp finds a good one), and every one makes it a proof.
#pragma once

#include "cuts/blanked.hpp"
#include "cuts/deleted.hpp"

namespace shoal {

template <class Count>
class Bounds {
  public:
    Bounds(const Trees& trees, const Rules& rules, const Items<Count>& items, Techniques techniques)
        : ground_(trees, rules, items, techniques), deleted_(ground_), blanked_(ground_) {}

    // What a group of several items costs at least, how many of its rows are deleted at least, or values blanked, and
    // whether it loses all its rows for certain.
    struct Least {
        std::int64_t cost;
        std::int64_t lost;
        bool hopeless;
    };

    Least operator()(const GroupView<Count>& group) {
        const bool blanks = ground_.rules.blanks();
        const std::int64_t cost = blanks ? blanked_(group) : deleted_(group);
        if (blanks) return {cost, blanked_.lost(), false};
        return {cost, deleted_.lost(), deleted_.hopeless()};
    }

  private:
    Ground<Count> ground_;
    DeletedBounds<Count> deleted_;
    BlankedBounds<Count> blanked_;
};

}  // namespace shoal
