// Equations of motion: the MathML that came with the data, made element by element so that nothing else can come with it.
const MATHS = new Set("math mrow mi mn mo mtext msup msub msubsup mfrac msqrt mroot mover munder munderover mfenced mtable mtr mtd mspace mstyle mpadded".split(" "));
const MATH_SPACE = new DOMParser().parseFromString("<math></math>", "text/html").querySelector("math").namespaceURI;
const KEPT = ["displaystyle", "form", "lspace", "rspace", "columnalign"];
const PLAIN = { SECTION: "section", H2: "h4", H3: "h5", P: "p", DIV: "div" };

function copied(node) {
  if (node.nodeType === Node.TEXT_NODE) return document.createTextNode(node.data);
  const name = node.localName, maths = MATHS.has(name), tag = PLAIN[node.tagName];
  // the title stands in the summary
  if (node.tagName === "H2") return "";
  if (!maths && !tag) return document.createTextNode(node.textContent);
  const made = maths ? document.createElementNS(MATH_SPACE, name) : document.createElement(tag);
  if (["remark", "equation", "dotted"].includes(node.className)) made.setAttribute("class", node.className);
  for (const kept of KEPT) if (maths && node.hasAttribute(kept)) made.setAttribute(kept, node.getAttribute(kept));
  made.append(...[...node.childNodes].map(copied));
  return made;
}

function fillFormulas(id) {
  const e = D.report.equations;
  id("equations-card").hidden = !e;
  if (!e) return;
  id("equations-why").textContent = e.why;
  id("equations").replaceChildren(...e.forms.map((form, i) => {
    const inside = new DOMParser().parseFromString(form.markup, "text/html").body;
    const made = element("details", { open: i === 0 }, element("summary", { textContent: form.title }), ...[...inside.childNodes].map(copied));
    return made;
  }));
}
