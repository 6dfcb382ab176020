// What assistive technology and the keyboard need, and the theme does not do.

// The theme makes landmarks of the lists inside of the navigation, and of the buttons of code blocks.
const notLandmarks = "nav.md-code__nav, .md-nav--primary nav, .md-nav--secondary nav";
const scrollable = "pre > code, .md-typeset__scrollwrap";
// The results of the search are in a tree of their own, which site.css does not reach.
const pathsOfResults = `[id$="-path"], [id$="-path"] * { color: inherit; opacity: 1 !important; }`;
const styled = new WeakSet();

function mend() {
  for (const nav of document.querySelectorAll(notLandmarks)) {
    nav.setAttribute("role", "presentation");
    for (const name of ["aria-expanded", "aria-label", "aria-labelledby"]) {
      nav.removeAttribute(name);
    }
  }
  for (const { shadowRoot } of document.querySelectorAll("body > div")) {
    if (shadowRoot && !styled.has(shadowRoot)) {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(pathsOfResults);
      shadowRoot.adoptedStyleSheets.push(sheet);
      styled.add(shadowRoot);
    }
  }
  // The keyboard scrolls what can have the focus.
  for (const element of document.querySelectorAll(scrollable)) {
    if (element.scrollWidth > element.clientWidth) {
      element.tabIndex = 0;
    }
  }
}

addEventListener("DOMContentLoaded", mend);
addEventListener("load", mend);
addEventListener("resize", mend);
new MutationObserver(mend).observe(document.documentElement, { childList: true, subtree: true });
