// Runs the search of a site on a page with as much of a document as the search uses.
"use strict";
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const [folder, queries] = [process.argv[2], JSON.parse(process.argv[3])];

class Element {
  constructor(tag) {
    this.tag = tag;
    this.children = [];
    this.listeners = {};
    this.own = "";
    this.value = "";
    this.hidden = true;
  }
  set textContent(text) { this.own = text; this.children = []; }
  get textContent() { return this.own + this.children.map((each) => each.textContent).join(""); }
  appendChild(child) { this.children.push(child); return child; }
  addEventListener(name, listener) { this.listeners[name] = listener; }
  getAttribute() { return "../"; }
  contains() { return false; }
  links() {
    const inner = this.children.flatMap((each) => each.links());
    return this.tag === "a" ? [this.href, ...inner] : inner;
  }
}

const parts = { search: new Element("input"), results: new Element("ul"), "search-status": new Element("p") };
const document = {
  body: new Element("body"),
  head: new Element("head"),
  getElementById: (id) => parts[id],
  createElement: (tag) => new Element(tag),
  addEventListener: () => undefined,
};
const context = vm.createContext({ document, setTimeout });
context.window = context;
const load = (name) => vm.runInContext(fs.readFileSync(path.join(folder, name), "utf8"), context);

load("search.js");
parts.search.value = "x";
parts.search.listeners.input();
const [script] = document.head.children;
if (script.src !== "../assets/search-index.js") { throw new Error(script.src); }
load(path.basename(script.src));
script.onload();

const found = {};
for (const query of queries) {
  parts.search.value = query;
  parts.search.listeners.input();
  found[query] = {
    links: parts.results.links(),
    status: parts["search-status"].textContent,
    hidden: parts.results.hidden,
  };
}
process.stdout.write(JSON.stringify(found));
