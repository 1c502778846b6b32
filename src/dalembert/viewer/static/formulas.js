// Equations of motion: the MathML that came with the data, made element by element so that nothing else can come with it.
const MATHS = new Set("math mrow mi mn mo mtext msup msub msubsup mfrac msqrt mroot mover munder munderover mfenced mtable mtr mtd mspace mstyle mpadded".split(" "));
const MATH_SPACE = new DOMParser().parseFromString("<math></math>", "text/html").querySelector("math").namespaceURI;
const PLAIN = { SECTION: "section", H2: "h4", H3: "h5", P: "p", DIV: "div" };

// words, names of functions and of parameters, keep a distance from other factors: r cos, not rcos
const wordy = (node, side) => {
  while (node && ["mrow", "msub", "msup"].includes(node.localName)) node = node.localName === "mrow" && side === "last" ? node.lastElementChild : side === "last" && node.localName === "msub" ? node.lastElementChild : node.firstElementChild;
  return Boolean(node) && node.localName === "mi" && node.textContent.length > 1;
};
const apart = (node) => node.localName === "mo" && node.textContent === "\u2062" && node.previousElementSibling && node.previousElementSibling.localName !== "mo" && (wordy(node.previousElementSibling, "last") || wordy(node.nextElementSibling, "first"));

// headings as one writes them
const LETTERS = [[/\bJ\^T\b/g, "Jᵀ"], [/\blam(?=_|\b)/g, "λ"], [/\bPhi\b/g, "Φ"], [/\bgamma\b/g, "γ"], [/\btheta(?=_|\b)/g, "θ"]];
const lettered = (text) => LETTERS.reduce((t, [from, to]) => t.replace(from, to), text);

function copied(node) {
  if (node.nodeType === Node.TEXT_NODE) return document.createTextNode(node.data);
  const name = node.localName, maths = MATHS.has(name), tag = PLAIN[node.tagName];
  // the title stands in the summary
  if (node.tagName === "H2") return "";
  if (node.tagName === "H3") return element("h5", { textContent: lettered(node.textContent) });
  if (node.className === "remark" && /^(coordinates|velocities|lam)/.test(node.textContent)) return element("p", { className: "remark", textContent: lettered(node.textContent) });
  if (apart(node)) {
    const gap = document.createElementNS(MATH_SPACE, "mspace");
    gap.setAttribute("width", "0.17em");
    return gap;
  }
  if (!maths && !tag) return document.createTextNode(node.textContent);
  const made = maths ? document.createElementNS(MATH_SPACE, name) : document.createElement(tag);
  if (name === "mover" && node.children.length === 2 && /^[˙¨]$/.test(node.children[1].textContent)) {
    // dots that belong to the letter sit well in every font, those of an accent only in fonts for mathematics
    const letter = document.createElementNS(MATH_SPACE, "mi");
    letter.textContent = node.children[0].textContent + (node.children[1].textContent === "˙" ? "\u0307" : "\u0308");
    letter.setAttribute("class", "dotted");
    return letter;
  }
  if (name === "math" && node.getAttribute("display") === "block") return broken(node);
  if (tag && ["remark", "equation"].includes(node.className)) made.className = node.className;
  for (const kept of ["display", "accent", "mathvariant", "displaystyle"]) if (maths && node.hasAttribute(kept)) made.setAttribute(kept, node.getAttribute(kept));
  made.append(...[...node.childNodes].map(copied));
  return made;
}

// an equation as one formula for every term, so that long ones are broken between them
function broken(node) {
  const row = node.children.length === 1 && node.firstElementChild.localName === "mrow" ? node.firstElementChild : node;
  const terms = [[]], sign = (x) => x.localName === "mo" && /^[+−=]$/.test(x.textContent);
  // a sum without parentheses is opened
  const open = (x) => (x.localName === "mrow" && !/^[([]$/.test(x.firstChild.textContent) && [...x.childNodes].some(sign) ? [...x.childNodes].flatMap(open) : [x]);
  for (const part of [...row.childNodes].flatMap(open)) {
    const here = terms[terms.length - 1], equals = here.length === 1 && here[0].textContent === "=";
    if (sign(part) && here.length && !equals) terms.push([]);
    const made = copied(part);
    if (sign(part) && terms.length > 1 && !equals) made.setAttribute("form", "infix");
    terms[terms.length - 1].push(made);
  }
  return element("span", {}, ...terms.flatMap((parts) => {
    const made = document.createElementNS(MATH_SPACE, "math");
    made.setAttribute("displaystyle", "true");
    made.append(...parts);
    return [made, " "];
  }));
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
