// Drawing of a planar mechanism.
function planeView(w, h) {
  const [low, high] = stage.box(), wide = Math.max(high[0] - low[0], 1e-12), tall = Math.max(high[1] - low[1], 1e-12);
  const margin = Math.min(70, 0.14 * Math.min(w, h));
  let s = Math.min((w - 2 * margin) / wide, (h - 2 * margin) / tall);
  if (wide < 1e-11 && tall < 1e-11) s = 100;
  s *= stage.zoom;
  const c = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
  return {
    s,
    project: (p) => [w / 2 + (p[0] - c[0]) * s + stage.shift[0], h / 2 - (p[1] - c[1]) * s + stage.shift[1]],
    direction: (v) => [v[0], -v[1]],
  };
}

const drawPlane = {};

// axes and a length to compare with
drawPlane.under = function ({ ctx, h, view, colors }) {
  const rough = 90 / view.s, power = Math.pow(10, Math.floor(Math.log10(rough)));
  const length = [1, 2, 5].map((f) => f * power).filter((x) => x <= rough).pop(), px = length * view.s;
  const x = 14, y = h - 14;
  line(ctx, [[x, y - 4], [x, y], [x + px, y], [x + px, y - 4]], colors.soft, 1.2);
  ctx.font = "12px system-ui, sans-serif";
  ctx.fillStyle = colors.soft;
  ctx.textAlign = "center";
  ctx.textBaseline = "bottom";
  const [unit, factor] = unitOf("m");
  ctx.fillText(`${digits(factor * length)} ${unit}`, x + px / 2, y - 4);
  const o = [20, 46];
  symbols.arrow(ctx, o, [30, 0], colors.soft, 1.3);
  symbols.arrow(ctx, o, [0, -30], colors.soft, 1.3);
  ctx.textBaseline = "middle";
  ctx.fillText("x", o[0] + 38, o[1]);
  ctx.fillText("y", o[0] - 9, o[1] - 27);
};

// toothed wheels and racks
drawPlane.teeth = function ({ ctx, view, colors }, k) {
  const base = ctx.globalAlpha;
  for (const w of (D.scene.teeth || []).filter((one) => !looks.hidden(one.body))) {
    ctx.globalAlpha = base * looks.alpha(w.body);
    const put = placer(w.body, k), points = w.line.map((p) => view.project(put(p))), color = w.body < 0 ? colors.ground : colors.body[w.body % 8];
    const soft = mixed(color, colors.paper, colors.fill), c = w.center && view.project(put(w.center));
    // a ring gear has its teeth inside
    if (w.rim) circle(ctx, c, w.rim * view.s, soft, color, 1.4);
    area(ctx, points, w.rim ? colors.paper : soft, color, 1.2);
    if (!c) continue;
    if (!w.rim) line(ctx, [c, view.project(put(w.spoke))], color, 1);
    ctx.setLineDash([7, 2.5, 1.5, 2.5]);
    circle(ctx, c, w.radius * view.s, null, color, 0.8);
    ctx.setLineDash([]);
  }
  ctx.globalAlpha = base;
};

// guides and supports that stand still, below everything
drawPlane.fixed = function (args, k) {
  const { ctx, u, view, colors } = args;
  drawPlane.teeth(args, k);
  // a cam that stands still
  for (const wire of D.scene.wires || []) for (const points of wire.lines) line(ctx, points.map((p) => view.project(p)), colors.ground, 1.6);
  for (const m of D.scene.marks.filter(looks.mark)) {
    symbols.glyph(args, m, k, "under");
    symbols.glyph(args, m, k, "body", (place) => place[0] < 0);
    if (m.bowl) circle(ctx, view.project(where(m.bowl[0], k)), m.bowl[1] * view.s, null, colors.ground, 1.6);
    if (m.floor) symbols.hatch(ctx, view.project(m.floor[0]), view.project(m.floor[1]), u, colors.ground);
  }
};

// `only` draws areas or everything else, so that supports can lie between plates and bars
drawPlane.bodies = function (args, k, only) {
  const { ctx, u, view, colors } = args;
  // bodies with a slot lie below those whose pins run in it
  const slots = D.scene.marks.filter((m) => m.glyph === "slot"), carrier = (m) => m.places[m.carrier][0];
  const slotted = new Set(slots.map(carrier)), order = D.scene.bodies.map((body, i) => [body, i]);
  order.sort((p, q) => slotted.has(q[1]) - slotted.has(p[1]) || p[1] - q[1]);
  const covered = new Set((D.scene.teeth || []).filter((w) => w.covers).map((w) => w.body));
  const base = ctx.globalAlpha;
  order.filter(([, i]) => !looks.hidden(i)).forEach(([body, i]) => {
    ctx.globalAlpha = base * looks.alpha(i);
    const put = placer(i, k), color = colors.body[i % 8], soft = mixed(color, colors.paper, colors.fill);
    for (const item of body.items) {
      if (only && (only === "area") !== (item.kind === "area")) continue;
      const points = item.points.map((p) => view.project(put(p)));
      if (item.kind === "bar") {
        symbols.bar(ctx, points, u, color, soft, colors.paper);
      } else if (item.kind === "line") {
        line(ctx, points, color, 1.8);
      } else if (item.kind === "point") {
        circle(ctx, points[0], (body.items.length > 1 ? 2.6 : 6) * u, color);
      } else if (!covered.has(i)) {
        area(ctx, points, item.void ? colors.paper : soft, color, 1.6);
        if (item.round && !item.void) {
          // a thin spoke shows how a round body turns
          const c = view.project(put(item.points[0].map((_, j) => item.points.slice(0, -1).reduce((s, p) => s + p[j], 0) / (item.points.length - 1))));
          line(ctx, [c, points[0]], color, 1);
        }
      }
    }
    if (only !== "area") slots.filter((m) => carrier(m) === i).forEach((m) => symbols.glyph(args, m, k, "body"));
  });
  ctx.globalAlpha = base;
};

drawPlane.marks = function (args, k) {
  const { ctx, u, view, colors } = args, at = (place) => view.project(where(place, k)), marks = D.scene.marks.filter(looks.mark);
  for (const m of marks) {
    const ps = m.places.map(at), [a, b] = [ps[0], ps[ps.length - 1]];
    if (m.glyph === "rack" && m.teeth && m.rack[0] < 0) {
      // a rack without a body of its own: the line on which the pinion rolls
      const put = placer(m.teeth[0], k);
      line(ctx, m.teeth.slice(1).map((p) => view.project(put(p))), colors.ground, 1.4);
      circle(ctx, a, m.radius * view.s, null, colors.ink, 1.4);
    }
    if (m.glyph === "belt" && m.radii) {
      const f = along(a, b), [r1, given] = m.radii.map((r) => r * view.s), r2 = m.crossed ? -given : given, s = (r1 - r2) / f.length, c = Math.sqrt(Math.max(0, 1 - s * s));
      for (const side of [1, -1]) line(ctx, [f.at(r1 * s, side * r1 * c), f.at(f.length + r2 * s, side * r2 * c)], colors.ink, 1.6);
      ps.forEach((p, i) => circle(ctx, p, m.radii[i] * view.s, null, colors.ink, 1.6));
    }
    symbols.glyph(args, m, k, "over");
  }
  // pins lie on top of all bodies
  marks.forEach((m) => symbols.glyph(args, m, k, "top"));
};
