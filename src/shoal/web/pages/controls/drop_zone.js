// A place to drop or choose a file. The file is sent to the API as it is, or read as text; the answer, or the text,
// comes back as an event.
export default {
  props: { url: String, method: String, words: String, note: String, accept: String, small: Boolean, form: String, most: Number },
  emits: ["answer"],
  template: `
    <div class="drop-zone" :class="{ over, busy, small }"
         @dragover.prevent="over = true" @dragleave="over = false" @drop.prevent="dropped">
      <label>
        <input type="file" class="unseen" :accept="accept" :multiple="form === 'files'" :disabled="busy" @change="chosen" />
        <span class="drop-words" aria-live="polite">{{ busy ? told : words }}</span>
        <span v-if="note && !busy" class="drop-note">{{ note }}</span>
      </label>
      <progress v-if="busy" v-bind="share < 1 ? { value: share } : {}" max="1" :aria-label="told"></progress>
    </div>`,
  data: () => ({ over: false, busy: false, share: 0, told: "", reading: "the file" }),
  methods: {
    dropped(event) {
      this.over = false;
      if (event.dataTransfer.files.length && !this.busy) this.send([...event.dataTransfer.files]);
    },
    chosen(event) {
      const files = [...event.target.files];
      event.target.value = "";
      if (files.length) this.send(files);
    },
    async body(files) {
      if (!this.form) return files[0];
      const texts = {};
      for (const file of files) {
        this.reading = file.name;
        texts[file.name] = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      }
      if (this.form === "read") return texts[files[0].name];
      return JSON.stringify(this.form === "files" ? { files: texts } : { text: texts[files[0].name] });
    },
    async send(files) {
      const file = files[0];
      if (this.most && file.size > this.most) {
        this.$emit("answer", { id: null, error: `${file.name} has more than ${this.most.toLocaleString("en")} bytes; choose a smaller file` });
        return;
      }
      let body;
      try {
        body = await this.body(files);
      } catch {
        this.$emit("answer", { id: null, error: `${this.reading} is not text in UTF-8; choose another file, or save it as UTF-8` });
        return;
      }
      if (this.form === "read") {
        this.$emit("answer", { id: body, error: null });
        return;
      }
      this.busy = true;
      this.share = 0;
      const called = files.length > 1 ? `${files.length} files` : file.name;
      this.told = `Sending ${called}`;
      const request = new XMLHttpRequest();
      const address = this.url + (this.url.includes("?") ? "&" : "?") + "name=" + encodeURIComponent(file.name);
      request.open(this.method, address);
      request.setRequestHeader("content-type", this.form ? "application/json" : "application/octet-stream");
      request.upload.onprogress = (event) => {
        this.share = event.lengthComputable ? event.loaded / event.total : 0;
        if (this.share === 1) this.told = `Reading ${called} …`;
      };
      request.onloadend = () => {
        this.busy = false;
        let told = {};
        try {
          told = JSON.parse(request.responseText);
        } catch {
          told = { error: "the file could not be sent; is the server still running, and the file still there?" };
        }
        this.$emit("answer", { id: told.id ?? null, error: told.error ?? null });
      };
      request.send(body);
    },
  },
};
