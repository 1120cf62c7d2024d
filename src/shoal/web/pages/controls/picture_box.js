// A picture in which elements with data-point or data-node are chosen by click or key.
export default {
  props: { svg: String, over: String },
  emits: ["chosen"],
  template: `
    <div class="stacked" @click="point" @keydown="key">
      <div v-html="svg"></div><div v-if="over" class="above" v-html="over"></div>
    </div>`,
  methods: {
    point(event) {
      if (!event.target.closest?.("[data-point]")) return this.choose(event.target);
      // Points that are close together overlap; choose the nearest.
      const far = (point) => {
        const box = point.querySelector(".dot").getBoundingClientRect();
        return Math.hypot(box.x + box.width / 2 - event.clientX, box.y + box.height / 2 - event.clientY);
      };
      const all = [...this.$el.querySelectorAll("[data-point]")];
      this.choose(all.reduce((near, point) => (far(point) < far(near) ? point : near)));
    },
    choose(target) {
      const found = target.closest?.("[data-point], [data-node]");
      if (found) this.$emit("chosen", found.dataset.point ?? found.dataset.node);
    },
    key(event) {
      const here = event.target.closest?.("[data-point]");
      if (!here) return;
      const all = [...this.$el.querySelectorAll("[data-point]")];
      const step = { ArrowRight: -1, ArrowDown: 1, ArrowLeft: 1, ArrowUp: -1 }[event.key];
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        this.choose(here);
      } else if (step) {
        event.preventDefault();
        all[Math.min(Math.max(all.indexOf(here) + step, 0), all.length - 1)].focus();
      }
    },
  },
};
