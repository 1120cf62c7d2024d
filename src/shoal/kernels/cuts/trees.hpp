// The taxonomies of all attributes as one forest, and combinations of their nodes as keys.
#pragma once

#include <stdexcept>
#include <vector>

#include "common/assert.hpp"
#include "common/keys.hpp"

namespace shoal {

// Nodes are numbered attribute after attribute, parents before children, each with at least two children or none.
struct Trees {
    std::vector<int> attribute;        // of every node
    std::vector<int> parent;           // -1 above a root
    std::vector<std::int64_t> weight;  // what a row released as this node costs
    std::vector<std::int64_t> rows;    // rows below
    std::vector<std::vector<int>> children;
    std::vector<int> roots;
    std::vector<int> place;  // among its parent's children
    std::vector<int> first;  // the first node of every attribute
    bool weighted = false;   // whether any node has a weight
    Layout layout{{}};

    Trees(std::vector<int> attribute_of, std::vector<int> parent_of, std::vector<std::int64_t> weights,
          std::vector<std::int64_t> rows_below)
        : attribute(std::move(attribute_of)), parent(std::move(parent_of)), weight(std::move(weights)),
          rows(std::move(rows_below)) {
        const std::size_t n = attribute.size();
        if (parent.size() != n || weight.size() != n || rows.size() != n)
            throw std::invalid_argument("the columns of the trees differ in length");
        children.resize(n);
        place.assign(n, 0);
        for (std::size_t v = 0; v < n; ++v) {
            if (v == 0 && attribute[v] != 0) throw std::invalid_argument("attributes are numbered from 0");
            if (v > 0 && (attribute[v] < attribute[v - 1] || attribute[v] > attribute[v - 1] + 1))
                throw std::invalid_argument("nodes come attribute after attribute");
            if (v == 0 || attribute[v] != attribute[v - 1]) first.push_back(static_cast<int>(v));
            weighted = weighted || weight[v] != 0;
            if (parent[v] < 0) {
                roots.push_back(static_cast<int>(v));
                continue;
            }
            if (parent[v] >= static_cast<int>(v) || attribute[parent[v]] != attribute[v])
                throw std::invalid_argument("parents come before their children, in the same attribute");
            place[v] = static_cast<int>(children[parent[v]].size());
            children[parent[v]].push_back(static_cast<int>(v));
        }
        std::vector<int> widths;
        for (std::size_t a = 0; a < first.size(); ++a) widths.push_back(bits_for(last(a) - first[a]));
        layout = Layout(widths);
    }

    std::size_t size() const { return attribute.size(); }
    int attributes() const { return static_cast<int>(first.size()); }
    int words() const { return layout.words; }
    int last(std::size_t a) const { return a + 1 < first.size() ? first[a + 1] : static_cast<int>(attribute.size()); }
    bool leaf(int v) const { return children[v].empty(); }

    int at(const std::uint64_t* key, int a) const { return first[a] + static_cast<int>(layout.fields[a].code(key)); }

    // What a row of these values costs for them.
    std::int64_t rate(const std::uint64_t* key) const {
        std::int64_t total = 0;
        for (int a = 0; a < attributes(); ++a) total += weight[at(key, a)];
        return total;
    }

    void put(std::uint64_t* key, int a, int node) const {
        SHOAL_ASSERT(node >= first[a] && node < last(a));
        const Field& f = layout.fields[a];
        key[f.word] = (key[f.word] & ~(f.mask << f.shift)) | (static_cast<std::uint64_t>(node - first[a]) << f.shift);
    }

    // Which of v's children lies at or above a node below v.
    int part(int v, int node) const {
        while (parent[node] != v) {
            SHOAL_ASSERT(node > v);
            node = parent[node];
        }
        return place[node];
    }
};

inline std::uint64_t hash_words(const std::uint64_t* words, int count) {
    std::uint64_t h = words[0] * 0x9E3779B97F4A7C15ull;
    for (int i = 1; i < count; ++i) h = (h ^ (h >> 29) ^ words[i]) * 0xBF58476D1CE4E5B9ull;
    return h ^ (h >> 32);
}

inline bool same_words(const std::uint64_t* a, const std::uint64_t* b, int count) {
    for (int i = 0; i < count; ++i)
        if (a[i] != b[i]) return false;
    return true;
}

}  // namespace shoal
