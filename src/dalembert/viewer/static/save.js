// Files for the reader: numbers of a plot as CSV, pictures as PNG or SVG.  Nothing leaves the browser.
function save(name, content, type) {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const link = element("a", { href: URL.createObjectURL(blob), download: name.replace(/[^\p{L}\p{N}._-]+/gu, "-") });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// canvas on the colour of the paper
function savePng(canvas, name) {
  const copy = element("canvas", { width: canvas.width, height: canvas.height }), ctx = copy.getContext("2d");
  ctx.fillStyle = css("--paper");
  ctx.fillRect(0, 0, copy.width, copy.height);
  ctx.drawImage(canvas, 0, 0);
  copy.toBlob((blob) => save(name, blob));
}

// What draws into a canvas draws into this instead, and becomes the text of an SVG.
function SvgPicture(w, h, paper) {
  this.w = w; this.h = h; this.parts = []; this.path = [];
  this.dash = []; this.globalAlpha = 1; this.lineWidth = 1; this.lineCap = "butt"; this.lineJoin = "miter";
  this.fillStyle = this.strokeStyle = "#000"; this.font = "12px sans-serif"; this.textAlign = "left"; this.textBaseline = "alphabetic";
  this.measure = document.createElement("canvas").getContext("2d");
  this.parts.push(`<rect width="${w}" height="${h}" fill="${paper}"/>`);
}

const svg = SvgPicture.prototype;
const short = (x) => String(Math.round(100 * x) / 100);
svg.beginPath = function () { this.path = []; };
svg.closePath = function () { this.path.push("Z"); };
svg.moveTo = function (x, y) { this.path.push(`M${short(x)} ${short(y)}`); };
svg.lineTo = function (x, y) { this.path.push(`${this.path.length ? "L" : "M"}${short(x)} ${short(y)}`); };
// whole circles only
svg.arc = function (x, y, r) {
  r = Math.max(0, r);
  this.path.push(`M${short(x - r)} ${short(y)}a${short(r)} ${short(r)} 0 1 0 ${short(2 * r)} 0a${short(r)} ${short(r)} 0 1 0 ${short(-2 * r)} 0Z`);
};
svg.setLineDash = function (dash) { this.dash = dash; };
svg.measureText = function (text) { this.measure.font = this.font; return this.measure.measureText(text); };
svg.clearRect = svg.setTransform = function () {};
svg.line = function () {
  const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
  return `stroke="${this.strokeStyle}" stroke-width="${short(this.lineWidth)}" stroke-linecap="${this.lineCap}" stroke-linejoin="${this.lineJoin}"${dash}`;
};
svg.put = function (tag, rest) {
  const alpha = this.globalAlpha < 1 ? ` opacity="${this.globalAlpha}"` : "";
  this.parts.push(`<${tag}${alpha} ${rest}`);
};
svg.fill = function () { this.put("path", `d="${this.path.join("")}" fill="${this.fillStyle}"/>`); };
svg.stroke = function () { this.put("path", `d="${this.path.join("")}" fill="none" ${this.line()}/>`); };
svg.rect = function (x, y, w, h) { return `x="${short(x)}" y="${short(y)}" width="${short(w)}" height="${short(h)}"`; };
svg.fillRect = function (...box) { this.put("rect", `${this.rect(...box)} fill="${this.fillStyle}"/>`); };
svg.strokeRect = function (...box) { this.put("rect", `${this.rect(...box)} fill="none" ${this.line()}/>`); };
svg.text = function (text, x, y, look) {
  const anchor = { left: "start", center: "middle", right: "end" }[this.textAlign] || "start";
  const size = parseFloat(this.font.match(/([\d.]+)px/)[1]), down = { middle: 0.35 * size, top: 0.8 * size, bottom: -0.2 * size }[this.textBaseline] || 0;
  const weight = /^(600|bold)/.test(this.font) ? ' font-weight="600"' : "";
  const escaped = String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
  this.put("text", `x="${short(x)}" y="${short(y + down)}" font-family="sans-serif" font-size="${size}"${weight} text-anchor="${anchor}" ${look}>${escaped}</text>`);
};
svg.fillText = function (text, x, y) { this.text(text, x, y, `fill="${this.fillStyle}"`); };
svg.strokeText = function (text, x, y) { this.text(text, x, y, `fill="none" ${this.line()}`); };
svg.toString = function () {
  const space = new DOMParser().parseFromString("<svg></svg>", "text/html").querySelector("svg").namespaceURI;
  return `<svg xmlns="${space}" width="${this.w}" height="${this.h}" viewBox="0 0 ${this.w} ${this.h}">\n${this.parts.join("\n")}\n</svg>\n`;
};
