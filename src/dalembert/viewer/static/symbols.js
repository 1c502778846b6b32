// Symbols of textbooks, drawn in pixels: points are [x, y] on the screen, u is the unit of size (about 1).
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

// frame along a -> b: point at distance s along and n across (to the left)
function along(a, b) {
  const d = [b[0] - a[0], b[1] - a[1]], length = Math.hypot(...d) || 1, e = [d[0] / length, d[1] / length];
  return { length, at: (s, n) => [a[0] + s * e[0] + n * e[1], a[1] + s * e[1] - n * e[0]] };
}

// short strokes on the right side of a line a -> b: what they touch is fixed
symbols.hatch = function (ctx, a, b, u, color) {
  const f = along(a, b), step = 7 * u;
  line(ctx, [a, b], color, 1.4);
  for (let s = step / 2; s < f.length; s += step) line(ctx, [f.at(s, 0), f.at(s - 5 * u, -6 * u)], color, 1);
};

symbols.support = function (ctx, p, u, ink, paper) {
  const h = 20 * u, w = 13 * u;
  ctx.beginPath();
  ctx.moveTo(p[0], p[1]); ctx.lineTo(p[0] - w, p[1] + h); ctx.lineTo(p[0] + w, p[1] + h); ctx.closePath();
  ctx.fillStyle = paper; ctx.fill();
  ctx.strokeStyle = ink; ctx.lineWidth = 1.3; ctx.lineJoin = "round"; ctx.stroke();
  symbols.hatch(ctx, [p[0] - 1.5 * w, p[1] + h], [p[0] + 1.5 * w, p[1] + h], u, ink);
};

symbols.pin = function (ctx, p, u, ink, paper) {
  circle(ctx, p, 4.6 * u, paper, ink, 1.6);
};

symbols.weld = function (ctx, p, u, ink) {
  ctx.fillStyle = ink;
  ctx.fillRect(p[0] - 4 * u, p[1] - 4 * u, 8 * u, 8 * u);
};

symbols.spring = function (ctx, a, b, u, ink) {
  const f = along(a, b), turns = 7, wide = 6.5 * u, points = [a, f.at(0.14 * f.length, 0)];
  for (let i = 0; i < 2 * turns; i++) points.push(f.at((0.14 + 0.72 * (i + 0.5) / (2 * turns)) * f.length, i % 2 ? -wide : wide));
  points.push(f.at(0.86 * f.length, 0), b);
  line(ctx, points, ink, 1.3);
  for (const p of [a, b]) circle(ctx, p, 2.2 * u, ink);
};

symbols.damper = function (ctx, a, b, u, ink) {
  const f = along(a, b), m = f.length / 2, l = Math.min(14 * u, 0.3 * f.length), h = 7 * u;
  line(ctx, [a, f.at(m - l, 0)], ink, 1.3);
  line(ctx, [f.at(m + l, h), f.at(m - l, h), f.at(m - l, -h), f.at(m + l, -h)], ink, 1.5);
  line(ctx, [f.at(m + 0.2 * l, 0.75 * h), f.at(m + 0.2 * l, -0.75 * h)], ink, 2.2);
  line(ctx, [f.at(m + 0.2 * l, 0), b], ink, 1.3);
  for (const p of [a, b]) circle(ctx, p, 2.2 * u, ink);
};

// hydraulic cylinder: barrel from a, rod to b
symbols.actuator = function (ctx, a, b, u, ink, paper) {
  const f = along(a, b), m = 0.58 * f.length, h = 6 * u;
  line(ctx, [f.at(0.5 * m, 0), b], ink, 2.2);
  ctx.beginPath();
  [f.at(0.1 * f.length, h), f.at(m, h), f.at(m, -h), f.at(0.1 * f.length, -h)].forEach((p) => ctx.lineTo(...p));
  ctx.closePath();
  ctx.fillStyle = paper; ctx.fill(); ctx.strokeStyle = ink; ctx.lineWidth = 1.5; ctx.stroke();
  line(ctx, [a, f.at(0.1 * f.length, 0)], ink, 1.5);
  for (const p of [a, b]) circle(ctx, p, 2.2 * u, ink);
};

symbols.spiral = function (ctx, p, u, ink) {
  const points = [];
  for (let i = 0; i <= 60; i++) {
    const a = i / 60 * 5 * Math.PI, r = (5 + 9 * i / 60) * u;
    points.push([p[0] + r * Math.cos(a), p[1] - r * Math.sin(a)]);
  }
  line(ctx, points, ink, 1.2);
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

// slot with round ends from a to b
symbols.slot = function (ctx, a, b, u, ink, paper) {
  line(ctx, [a, b], ink, 15 * u);
  line(ctx, [a, b], paper, 15 * u - 2.6);
};

// pitch circle with teeth that turn with the wheel
symbols.wheel = function (ctx, p, r, teeth, angle, color) {
  circle(ctx, p, r, null, color, 1.4);
  const t = Math.min(5, 0.08 * r);
  for (let i = 0; i < teeth; i++) {
    const a = angle + 2 * Math.PI * i / teeth, c = Math.cos(a), s = -Math.sin(a);
    line(ctx, [[p[0] + (r - t) * c, p[1] + (r - t) * s], [p[0] + (r + t) * c, p[1] + (r + t) * s]], color, 1.4);
  }
};
