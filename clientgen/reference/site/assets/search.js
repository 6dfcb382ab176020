// clientgen docs: finds kinds, types, fields, verbs and errors in window.clientgenIndex.
(function () {
  "use strict";
  var MAX_RESULTS = 40;
  var input = document.getElementById("search");
  var list = document.getElementById("results");
  var status = document.getElementById("search-status");
  var root = document.body.getAttribute("data-root") || "";
  var entries = null;
  var asked = false;

  // Pages that are opened from a folder may load scripts, but may not fetch files.
  function load() {
    if (asked) { return; }
    asked = true;
    var script = document.createElement("script");
    script.src = root + "assets/search-index.js";
    script.onload = function () { entries = prepare(window.clientgenIndex); show(); };
    script.onerror = function () { status.textContent = "The search index is missing."; };
    document.head.appendChild(script);
  }

  function entry(rank, title, detail, href, words, names) {
    return {
      rank: rank, title: title, detail: detail, href: href,
      words: words.join(" ").toLowerCase(), names: names.map(lower)
    };
  }

  function lower(text) { return text.toLowerCase(); }

  function prepare(index) {
    var all = [];
    index.types.forEach(function (type) {
      var names = [type.name].concat(type.names || []);
      var where = type.where;
      var rank = type.rank + (type.names ? 0 : 40);
      all.push(entry(rank, type.name, (type.what || (type.names ? "Kind" : "Type")) + " of " + where, type.page,
        names.concat([where]), names));
      type.fields.forEach(function (field) {
        var own = field[1] ? [field[0], field[1]] : [field[0]];
        all.push(entry(type.rank + 60, type.name + "." + field[0], "Field of " + where +
          (field[1] ? ", in Python " + field[1] : ""), type.page + "#" + field[3],
          names.concat(own, [where]), own));
      });
      (type.verbs || []).forEach(function (verb) {
        all.push(entry(type.rank + 50, type.names[0] + " " + verb[0], "Verb of " + type.name +
          " in " + where, type.page + "#" + verb[1], names.concat([verb[0], where]), [verb[0]]));
      });
    });
    return all;
  }

  function step(word) { return word.replace(/\[.*$/, "").toLowerCase(); }

  function fieldsLike(type, word, exact) {
    return type.fields.filter(function (field) {
      return [field[0], field[1] || ""].some(function (name) {
        return exact ? lower(name) === word : name && lower(name).indexOf(word) === 0;
      });
    });
  }

  // pods.spec.restartPolicy: a kind or type, then fields of fields.
  function walk(query) {
    var index = window.clientgenIndex;
    var parts = query.split(".").filter(Boolean);
    if (parts.length < 2) { return []; }
    var found = [];
    index.types.forEach(function (type) {
      var names = [type.name].concat(type.names || []).map(lower);
      if (names.indexOf(parts[0].toLowerCase()) < 0) { return; }
      var here = type;
      for (var i = 1; here && i < parts.length; i += 1) {
        var last = i === parts.length - 1;
        var word = step(parts[i]);
        var fields = fieldsLike(here, word, true);
        if (!fields.length && last) { fields = fieldsLike(here, word, false); }
        if (last) {
          fields.forEach(function (field) {
            var path = [type.names ? type.names[0] : type.name].concat(parts.slice(1, -1), field[0]);
            found.push({
              rank: type.rank, title: path.join("."), detail: "Field of " + here.name + " of " +
                here.where, href: here.page + "#" + field[3]
            });
          });
        }
        here = fields.length && fields[0][2] >= 0 ? index.types[fields[0][2]] : null;
      }
    });
    return found.sort(function (a, b) { return a.rank - b.rank; });
  }

  function score(each, tokens) {
    var total = each.rank;
    for (var i = 0; i < tokens.length; i += 1) {
      if (each.words.indexOf(tokens[i]) < 0) { return -1; }
      if (each.names.indexOf(tokens[i]) >= 0) { total -= 100; }
      else if (each.names.some(function (name) { return name.indexOf(tokens[i]) === 0; })) {
        total -= 50;
      }
    }
    return total + 1000;
  }

  function matches(query) {
    var tokens = query.toLowerCase().split(/\s+/).filter(Boolean);
    var scored = [];
    entries.forEach(function (each) {
      var points = score(each, tokens);
      if (points >= 0) { scored.push([points, each]); }
    });
    scored.sort(function (a, b) {
      return a[0] - b[0] || a[1].title.length - b[1].title.length ||
        (a[1].title < b[1].title ? -1 : 1);
    });
    return scored.map(function (pair) { return pair[1]; });
  }

  function show() {
    var query = input.value.trim();
    list.textContent = "";
    if (!query || !entries) {
      list.hidden = true;
      status.textContent = query && !entries ? "Loading the index." : "";
      return;
    }
    var found = walk(query).concat(matches(query));
    found.slice(0, MAX_RESULTS).forEach(function (each) {
      var link = document.createElement("a");
      link.href = root + each.href;
      link.textContent = each.title;
      var detail = document.createElement("small");
      detail.textContent = each.detail;
      link.appendChild(detail);
      var item = document.createElement("li");
      item.appendChild(link);
      list.appendChild(item);
    });
    list.hidden = !found.length;
    var shown = Math.min(found.length, MAX_RESULTS);
    status.textContent = found.length === 0 ? "Nothing found." :
      found.length > shown ? "The first " + shown + " of " + found.length + " results." :
        found.length + (found.length === 1 ? " result." : " results.");
  }

  function move(by) {
    var links = Array.prototype.slice.call(list.querySelectorAll("a"));
    var at = links.indexOf(document.activeElement) + by;
    if (at < 0) { input.focus(); } else if (links[at]) { links[at].focus(); }
  }

  function close() { list.hidden = true; }

  input.addEventListener("focus", load);
  input.addEventListener("input", function () { load(); show(); });
  document.addEventListener("keydown", function (event) {
    var inside = event.target === input || list.contains(event.target);
    if (event.key === "/" && !inside) { event.preventDefault(); input.focus(); }
    if (!inside) { return; }
    if (event.key === "ArrowDown") { event.preventDefault(); move(1); }
    if (event.key === "ArrowUp") { event.preventDefault(); move(-1); }
    if (event.key === "Escape") { input.value = ""; show(); input.focus(); }
    if (event.key === "Enter" && event.target === input) {
      var first = list.querySelector("a");
      if (first) { first.click(); }
    }
  });
  document.addEventListener("click", function (event) {
    if (!list.contains(event.target) && event.target !== input) { close(); }
    if (list.contains(event.target)) { setTimeout(close, 0); }
  });
  if (input.value) { load(); }
}());
