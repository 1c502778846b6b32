// Strokes of symbols, drawn in pixels: points are [x, y] on the screen, u is the unit of size (about 1).  What is drawn comes with the scene (glyphs.py).
const symbols = {};

function line(ctx, points, color, width, dash) {
  ctx.strokeStyle = color;
  ctx.lineWidth = width;
  ctx.lineCap = ctx.lineJoin = "round";
  ctx.setLineDash(dash || []);
  ctx.beginPath();
  points.forEach((p, i) => (i ? ctx.lineTo(p[0], p[1]) : ctx.moveTo(p[0], p[1])));
  ctx.stroke();
  ctx.setLineDash([]);
}

function circle(ctx, p, r, fill, stroke, width) {
  ctx.beginPath();
  ctx.arc(p[0], p[1], r, 0, 2 * Math.PI);
  if (fill) { ctx.fillStyle = fill; ctx.fill(); }
  if (stroke) { ctx.strokeStyle = stroke; ctx.lineWidth = width || 1.4; ctx.stroke(); }
}

function area(ctx, points, fill, stroke, width) {
  ctx.beginPath();
  points.forEach((p, i) => (i ? ctx.lineTo(p[0], p[1]) : ctx.moveTo(p[0], p[1])));
  ctx.closePath();
  if (fill) { ctx.fillStyle = fill; ctx.fill(); }
  if (stroke) { ctx.strokeStyle = stroke; ctx.lineWidth = width; ctx.lineJoin = "round"; ctx.stroke(); }
}

// frame along a -> b: point at distance s along and n across (to the left)
function along(a, b) {
  const d = [b[0] - a[0], b[1] - a[1]], length = Math.hypot(...d), e = length ? [d[0] / length, d[1] / length] : [1, 0];
  return { length, at: (s, n) => [a[0] + s * e[0] + n * e[1], a[1] + s * e[1] - n * e[0]] };
}

// short strokes on the right side of a line a -> b: what they touch is fixed
symbols.hatch = function (ctx, a, b, u, color) {
  const f = along(a, b), step = 7 * u;
  line(ctx, [a, b], color, 1.4);
  for (let s = step / 2; s < f.length; s += step) line(ctx, [f.at(s, 0), f.at(s - 5 * u, -6 * u)], color, 1);
};

// arrow by a vector on the screen
symbols.arrow = function (ctx, p, d, color, width) {
  const length = Math.hypot(...d);
  if (!(length > 1.5)) return;
  const tip = [p[0] + d[0], p[1] + d[1]], f = along(p, tip), head = Math.min(11, 0.6 * length) + width;
  line(ctx, [p, f.at(length - 0.7 * head, 0)], color, width);
  ctx.fillStyle = color;
  ctx.beginPath();
  [tip, f.at(length - head, 0.4 * head), f.at(length - head, -0.4 * head)].forEach((x) => ctx.lineTo(...x));
  ctx.fill();
};

// two strokes across an arrow: it is longer than it is drawn
symbols.broken = function (ctx, p, d, color, paper) {
  const f = along(p, [p[0] + d[0], p[1] + d[1]]), at = Math.max(0.35 * f.length, f.length - 26);
  if (f.length < 14) return;
  line(ctx, [f.at(at - 2, 0), f.at(at + 2, 0)], paper, 5);
  for (const s of [-2.5, 2.5]) line(ctx, [f.at(at + s - 1.5, -5), f.at(at + s + 1.5, 5)], color, 1.6);
};

// arc with a head around a point, from `start` over `sweep` radians, counterclockwise positive
symbols.turn = function (ctx, p, r, start, sweep, color, width) {
  const n = 28, points = [];
  for (let i = 0; i <= n; i++) {
    const a = start + sweep * i / n;
    points.push([p[0] + r * Math.cos(a), p[1] - r * Math.sin(a)]);
  }
  line(ctx, points, color, width);
  const tip = points[n], s = Math.sign(sweep), a = start + sweep, e = [-s * Math.sin(a), -s * Math.cos(a)], head = 5 + width;
  ctx.fillStyle = color;
  ctx.beginPath();
  ctx.moveTo(tip[0] + head * e[0], tip[1] + head * e[1]);
  ctx.lineTo(tip[0] - 0.55 * head * e[1], tip[1] + 0.55 * head * e[0]);
  ctx.lineTo(tip[0] + 0.55 * head * e[1], tip[1] - 0.55 * head * e[0]);
  ctx.fill();
};

// link with round ends
symbols.bar = function (ctx, points, u, color, soft, paper, width) {
  line(ctx, points, color, (width || 11) * u);
  line(ctx, points, paper, (width || 11) * u - 3);
  line(ctx, points, soft, (width || 11) * u - 3);
};

// -- glyphs: strokes in frames beside the places of a mark (see model/glyphs.py) ----------------------------------------------------------------

// pixels of a point of a symbol
const POINT = 1.3;

const glyphOf = (m) => D.scene.glyphs[m.glyph] || { strokes: [] };

// direction of a guide on the screen and its ends
function guideLine(m, view, k) {
  const place = m.places[m.carrier], put = placer(place[0], k);
  const at = (s) => view.project(put([place[1][0] + s * m.axis[0], place[1][1] + s * m.axis[1]]));
  return [at(m.reach[0]), at(m.reach[1]), at(m.reach[0] + 1)];
}

// frames of a stroke, each with the place whose body it belongs to
symbols.frames = function (kind, m, view, k) {
  const at = (place) => view.project(where(place, k)), level = (place) => [along(at(place), at(place)), place], last = m.places[m.places.length - 1];
  const ground = m.places.find((p) => p[0] < 0);
  if (kind === "between") return [[along(at(m.places[0]), at(last)), last]];
  if (kind === "guide" || kind === "rider") {
    const [a, b, ahead] = guideLine(m, view, k), place = m.places[kind === "guide" ? m.carrier : 1 - m.carrier], from = kind === "guide" ? a : at(place);
    const f = along(from, [from[0] + ahead[0] - a[0], from[1] + ahead[1] - a[1]]);
    return [[{ length: kind === "guide" ? Math.hypot(b[0] - a[0], b[1] - a[1]) : 0, at: f.at }, place]];
  }
  if (kind === "root") return ground ? [[along(at(ground), at(m.places.find((p) => p[0] >= 0) || last)), ground]] : [];
  return (kind === "each" ? m.places : kind === "last" ? [last] : ground ? [ground] : []).map(level);
};

// whether a condition of a stroke holds
symbols.holds = function (what, m, place, view) {
  if (what === "joint") return m.kind === "joint";
  if (what === "grounded") return m.places.some((p) => p[0] < 0);
  if (what === "wide" || what === "narrow") return (m.half * view.s > 5) === (what === "wide");
  if (what === "mass" || what === "link") {
    const items = place[0] >= 0 ? D.scene.bodies[place[0]].items : [];
    return (items.length > 0 && items.every((i) => i.kind === "point")) === (what === "mass");
  }
  return (place[0] < 0) === (what === "fixed");
};

// strokes of one layer of one mark
symbols.glyph = function ({ ctx, u, view, colors }, m, k, layer, where = () => true) {
  const px = POINT * u;
  for (const s of glyphOf(m).strokes) {
    if (s.layer !== layer) continue;
    for (const [f, place] of symbols.frames(s.frame, m, view, k)) {
      if (!where(place) || !s.when.every((what) => symbols.holds(what, m, place, view))) continue;
      const color = (name) => ({ "": null, body: place[0] < 0 ? colors.ground : colors.body[place[0] % 8] })[name] ?? colors[name] ?? null, ink = color(s.ink);
      const tint = (c) => mixed(c, colors.paper, s.ink === "body" ? colors.fill : 0.15);
      const fill = s.fill && (s.fill === "soft" || s.fill === s.ink) ? tint(ink || colors.ink) : color(s.fill), width = 1.15 * s.size;
      const points = s.points.map(([share, ahead, across]) => {
        const most = s.frame === "between" ? 0.3 * f.length : Infinity, wide = s.when.includes("wide") ? Math.sign(across) * m.half * view.s : 0;
        return f.at(share * f.length + Math.max(-most, Math.min(most, ahead * px)), across * px + wide);
      });
      if (s.draw === "line") line(ctx, points, ink, width, s.dashed ? [10, 4, 2, 4] : []);
      else if (s.draw === "disk") circle(ctx, points[0], s.size * px, fill, ink, 1.5);
      else if (s.draw === "bar") symbols.bar(ctx, points, u, ink, fill, colors.paper, POINT * s.size);
      else if (s.draw === "hatch") symbols.hatch(ctx, ...points, u, ink);
      else if (s.draw === "turn") symbols.turn(ctx, points[0], s.size * px, -0.5, 4.2, ink, 1.6);
      else area(ctx, points, fill, ink, width);
    }
  }
};
