// Names beside what they name: each where it hides least of other names and of what they belong to, and where it was before, so that it does not jump.
const names = { before: new Map() };

// corners of places for a name that is w wide, at a point: beside, above and below it, first the liked ones; then the same further away
names.places = function ([x, y], w, u) {
  const found = [];
  for (const far of [1, 2.2]) {
    const r = 9 * u * far, low = 11 * u * far;
    found.push([x + r, y - low], [x - r - w, y - low], [x + r, y + low], [x - r - w, y + low], [x + r, y], [x - r - w, y], [x - w / 2, y - 1.5 * low], [x - w / 2, y + 1.5 * low]);
  }
  return found;
};

// how much two boxes [left, middle, width, height] have in common
names.common = function (a, b) {
  const wide = Math.min(a[0] + a[2], b[0] + b[2]) - Math.max(a[0], b[0]), tall = 0.5 * (a[3] + b[3]) - Math.abs(a[1] - b[1]);
  return wide > 0 && tall > 0 ? wide * Math.min(tall, a[3], b[3]) : 0;
};

// places of names: [text, left, middle, colour]
names.put = function ({ ctx, w, h, u, colors }) {
  // joints that were only read off the equations have no name that someone gave
  const named = stage.hits.filter((hit) => !hit.mark || hit.mark.named !== false).map((hit) => {
    const text = hit.mark ? hit.mark.name : D.scene.bodies[hit.body].name;
    return { text, p: hit.p, key: `${hit.mark ? "part" : "body"} ${text}`, wide: ctx.measureText(text).width, color: hit.mark ? colors.ink : colors.body[hit.body % 8] };
  }).filter((one) => one.p.every(Number.isFinite));
  const points = named.map((one) => [one.p[0] - 5 * u, one.p[1], 10 * u, 10 * u]), used = [], found = [], now = new Map();
  named.forEach((one, i) => {
    const box = ([x, y]) => [x, y, one.wide, 14];
    const all = names.places(one.p, one.wide, u);
    let best = 0, least = Infinity;
    // of very many names the rest take the first place
    for (let j = 0; j < (i < 150 ? all.length : 1); j++) {
      const b = box(all[j]), out = b[0] < 2 || b[0] + b[2] > w - 2 || b[1] < 9 || b[1] > h - 9;
      let cost = 6 * j + (out ? 4000 : 0) - (names.before.get(one.key) === j ? 40 : 0);
      for (const other of used) cost += 8 * names.common(b, other);
      points.forEach((p, m) => { if (m !== i) cost += names.common(b, p); });
      if (cost < least) { least = cost; best = j; }
    }
    now.set(one.key, best);
    used.push(box(all[best]));
    found.push([one.text, ...all[best], one.color, one.wide]);
  });
  names.before = now;
  return found;
};

names.draw = function (args) {
  const { ctx, colors } = args;
  ctx.font = "600 12px system-ui, sans-serif";
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  ctx.lineWidth = 3;
  ctx.lineJoin = "round";
  ctx.strokeStyle = colors.paper;
  names.placed = names.put(args);
  for (const [text, x, y, color] of names.placed) {
    ctx.fillStyle = color;
    ctx.strokeText(text, x, y);
    ctx.fillText(text, x, y);
  }
  // for tests: boxes as left, top, right, bottom
  stage.canvas.dataset.names = JSON.stringify(names.placed.map(([text, x, y, , wide]) => [text, x, y - 7, x + wide, y + 7]));
};
