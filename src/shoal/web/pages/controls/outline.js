// A tree with the usual keys: arrows, Home, End, Space.
export default {
  props: { tree: Object, total: Number, name: String, kept: Array },
  emits: ["select", "unfold"],
  template: `
    <div role="tree" class="outline" :aria-label="name" aria-multiselectable="true" @keydown="pressed">
      <div v-for="(row, place) in shown" :key="row.id" role="treeitem" class="outline-row"
           :class="{ chosen: chosen.has(row.id) }" :data-place="place" :id="name + row.id"
           :aria-level="row.depth + 1" :aria-selected="chosen.has(row.id)"
           :aria-expanded="below(row.node) ? open.has(row.node.label) : undefined"
           :aria-label="said(row.node)" :tabindex="place === at ? 0 : -1"
           @click="clicked(row, place, $event)" @focus="at = place">
        <span v-for="n in row.depth" :key="n" class="outline-line" aria-hidden="true"></span>
        <span class="outline-mark" aria-hidden="true" @click.stop="turn(row, place)">
          {{ below(row.node) ? (open.has(row.node.label) ? "▾" : "▸") : "·" }}</span>
        <span class="outline-tick" aria-hidden="true">{{ chosen.has(row.id) ? "☑" : "☐" }}</span>
        <span class="outline-label" :class="{ missing: row.node.label === null }">{{ row.node.label ?? "missing" }}
          <small v-if="row.node.more">the first {{ row.node.children.length }} of {{
            (row.node.children.length + row.node.more).toLocaleString("en") }} are shown</small></span>
        <span class="outline-bar" aria-hidden="true"><i :style="{ width: share(row.node) }"></i></span>
        <span class="outline-count">{{ row.node.rows.toLocaleString("en") }}</span>
      </div>
    </div>`,
  data: () => ({ shape: null, open: new Set(), chosen: new Set(), at: 0 }),
  created() {
    this.shape = this.tree;
    this.unfold();
  },
  watch: {
    tree() {
      this.shape = this.tree;
      for (const id of this.kept ?? []) {
        let node = this.tree;
        for (const place of id.split(".").slice(1)) {
          this.open.add(node.label);
          node = node.children[place] ?? node;
        }
        this.open.add(node.label);
      }
      this.open = new Set(this.open);
      this.chosen = new Set(this.kept ?? []);
      this.$emit("select", [...this.chosen]);
      const place = this.shown.findIndex((row) => this.chosen.has(row.id));
      this.at = place >= 0 ? place : Math.min(this.at, this.shown.length - 1);
      this.$nextTick(() => this.$el.querySelector(".chosen")?.scrollIntoView({ block: "nearest" }));
    },
  },
  computed: {
    shown() {
      const rows = [];
      const walk = (node, id, depth, parent) => {
        rows.push({ node, id, depth, parent });
        const place = rows.length - 1;
        if (node.children.length && this.open.has(node.label))
          node.children.forEach((child, i) => walk(child, id + "." + i, depth + 1, place));
      };
      walk(this.shape, "0", 0, 0);
      return rows;
    },
  },
  methods: {
    unfold() {
      // Unfold level by level as long as it stays easy to read.
      let level = [this.tree];
      let lines = 1;
      while (level.length && lines < 40) {
        const next = level.flatMap((node) => node.children);
        lines += next.length;
        if (lines > 60 && level[0] !== this.tree) break;
        level.forEach((node) => this.open.add(node.label));
        level = next;
      }
      this.open.add(this.tree.label);
    },
    below(node) {
      return node.children.length > 0 || node.folded;
    },
    at_place(id) {
      return id.split(".").slice(1).reduce((node, place) => node?.children[place], this.shape);
    },
    graft(id, grown) {
      const node = this.at_place(id);
      if (!node) return;
      Object.assign(node, grown);
      this.open = new Set(this.open);
    },
    share(node) {
      return (this.total ? Math.max(node.rows ? 1 : 0, (100 * node.rows) / this.total) : 0) + "%";
    },
    said(node) {
      const below = node.leaves > 1 ? `, ${node.leaves.toLocaleString("en")} values` : "";
      return `${node.label ?? "missing"}: ${node.rows.toLocaleString("en")} rows${below}`;
    },
    turn(row, place) {
      if (!this.below(row.node)) return;
      if (row.node.folded) this.$emit("unfold", row.id);
      this.open.has(row.node.label) ? this.open.delete(row.node.label) : this.open.add(row.node.label);
      this.open = new Set(this.open);
      this.go(place);
    },
    choose(row) {
      this.chosen.has(row.id) ? this.chosen.delete(row.id) : this.chosen.add(row.id);
      this.chosen = new Set(this.chosen);
      this.$emit("select", [...this.chosen]);
    },
    clicked(row, place) {
      this.at = place;
      this.choose(row);
    },
    go(place) {
      this.at = Math.max(0, Math.min(this.shown.length - 1, place));
      this.$nextTick(() => this.$el.querySelector(`[data-place="${this.at}"]`)?.focus());
    },
    pressed(event) {
      const row = this.shown[this.at];
      const isOpen = this.below(row.node) && this.open.has(row.node.label);
      const does = {
        ArrowDown: () => this.go(this.at + 1),
        ArrowUp: () => this.go(this.at - 1),
        Home: () => this.go(0),
        End: () => this.go(this.shown.length - 1),
        ArrowRight: () => (isOpen ? this.go(this.at + 1) : this.turn(row, this.at)),
        ArrowLeft: () => (isOpen ? this.turn(row, this.at) : this.go(row.parent)),
        Enter: () => this.turn(row, this.at),
        " ": () => this.choose(row),
      }[event.key];
      if (!does || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      does();
    },
  },
};
