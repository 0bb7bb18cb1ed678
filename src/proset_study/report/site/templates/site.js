"use strict";
// Tables that are sorted by a click on a heading, and the search over all pages.
{% include "sort.js" %}

for (const box of document.querySelectorAll(".search")) {
  const [input, list] = [box.querySelector("input"), box.querySelector("ol")];
  let wanted;
  const load = () => wanted ??= new Promise((done) => {
    const script = document.createElement("script");
    script.src = box.dataset.index;
    script.onload = done;
    document.head.append(script);
  });
  const show = async () => {
    await load();
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const score = ([, title, text]) => {
      const [low, all] = [title.toLowerCase(), (title + " " + text).toLowerCase()];
      return words.every((word) => all.includes(word)) ? 1 + words.filter((word) => low.includes(word)).length : 0;
    };
    const found = words.length ? SEARCH.map((entry) => [score(entry), entry]).filter(([n]) => n).sort((a, b) => b[0] - a[0]) : [];
    list.replaceChildren(...found.slice(0, 20).map(([, [address, title, text]]) => {
      const [item, link] = [document.createElement("li"), document.createElement("a")];
      const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 40);
      Object.assign(link, { href: address, textContent: title });
      item.append(link, document.createElement("br"), text.slice(at, at + 120));
      return item;
    }));
    if (words.length && !found.length) list.replaceChildren(Object.assign(document.createElement("li"), { textContent: "Nothing found." }));
    list.hidden = !words.length;
    box.dataset.found = found.length;
  };
  input.addEventListener("focus", show);
  input.addEventListener("input", show);
  box.addEventListener("keydown", (event) => { if (event.key === "Escape") list.hidden = true; });
  box.addEventListener("focusout", (event) => { if (!box.contains(event.relatedTarget)) list.hidden = true; });
}
