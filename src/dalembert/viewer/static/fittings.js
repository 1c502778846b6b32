// Symbols of joints and force elements in space.  Parts that belong to a body are put into its group once; springs and the like are stretched
// at every output.  u is the size of symbols in metres, z of a frame the axis of the joint.
const fittings = {};

// mesh in the frame of a place: groups[body], point, axes
fittings.put = function (kit, mark, end, geometry, paint) {
  const [number, point] = mark.places[end], mesh = new THREE.Mesh(geometry, kit.paints.get(paint));
  solids.frame(mesh, point, mark.frames[end]);
  mesh.castShadow = mesh.receiveShadow = kit.shadows;
  kit.groupOf(number).add(mesh);
  return mesh;
};

// foot of what is held by the ground: a pyramid on a plate, as in textbooks
fittings.foot = function (kit, mark, tall) {
  const { u } = kit, end = mark.places.findIndex((p) => p[0] < 0);
  if (end < 0) return;
  const h = Math.max(3.4 * u, tall || 0), group = new THREE.Group();
  const cone = new THREE.CylinderGeometry(0.5 * u, 1.9 * u, h, 4).rotateX(Math.PI / 2).rotateZ(Math.PI / 4).translate(0, 0, -h / 2);
  group.add(new THREE.Mesh(cone, kit.paints.get("ground")));
  group.add(new THREE.Mesh(new THREE.BoxGeometry(4.6 * u, 4.6 * u, 0.4 * u).translate(0, 0, -h - 0.2 * u), kit.paints.get("ground")));
  group.children.forEach((m) => { m.castShadow = m.receiveShadow = kit.shadows; });
  const p = mark.places[end][1], up = kit.up;
  solids.along(group, p, p.map((x, i) => x + up[i]));
  kit.groupOf(-1).add(group);
};

const sleeve = (radius, half) => solids.tube(radius, 0.8 * radius, 2 * half, -half);

fittings.make = {
  pin(kit, m) {
    const { u } = kit, half = m.half || 0, long = Math.max(2.1 * u, half + 0.7 * u);
    fittings.put(kit, m, 1, solids.cylinder(0.72 * u, 2 * long, -long), "steel");
    fittings.put(kit, m, 0, solids.cylinder(1.2 * u, 2.6 * u, -1.3 * u), "joint");
    fittings.foot(kit, m);
  },
  ball(kit, m) {
    const { u } = kit;
    fittings.put(kit, m, 1, new THREE.SphereGeometry(1.25 * u, 24, 16), "steel");
    if (!m.places.some((p) => p[0] < 0)) fittings.put(kit, m, 0, new THREE.TorusGeometry(1.25 * u, 0.3 * u, 12, 32), "joint");
    fittings.foot(kit, m);
  },
  cross(kit, m) {
    const { u } = kit, half = Math.max(2.1 * u, (m.half || 0) + 0.6 * u);
    for (const end of [0, 1]) {
      fittings.put(kit, m, end, solids.cylinder(0.62 * u, 2 * half, -half), "steel");
      for (const side of [-1, 1]) fittings.put(kit, m, end, solids.cylinder(0.95 * u, 0.7 * u, side * half - 0.35 * u), "joint");
    }
    fittings.put(kit, m, 1, new THREE.BoxGeometry(1.6 * u, 1.6 * u, 1.6 * u), "steel");
    fittings.foot(kit, m);
  },
  slider(kit, m) {
    // a telescope: between two bodies with shapes a rod fills the gap, if there is one
    if (m.rod) fittings.put(kit, m, 0, solids.cylinder(0.35 * kit.u, m.rod[1] - m.rod[0], m.rod[0]), "steel");
    if (m.rod !== undefined) return;
    const { u } = kit, [low, high] = m.travel, a = low[2] - 3 * u, b = high[2] + 3 * u;
    fittings.put(kit, m, 0, new THREE.BoxGeometry(0.9 * u, 0.9 * u, b - a).translate(0, 0, (a + b) / 2), m.places[0][0] < 0 ? "ground" : "joint");
    if (!m.shaped) fittings.put(kit, m, 1, new THREE.BoxGeometry(2.2 * u, 2.2 * u, 3.4 * u), "steel");
    if (m.places[0][0] < 0) for (const z of [a, b]) fittings.put(kit, m, 0, new THREE.BoxGeometry(2.6 * u, 2.6 * u, 0.5 * u).translate(0, 0, z), "ground");
  },
  sleeve(kit, m) {
    const { u } = kit, [low, high] = m.travel, a = low[2] - 3 * u, b = high[2] + 3 * u;
    fittings.put(kit, m, 0, solids.cylinder(0.6 * u, b - a, a), m.places[0][0] < 0 ? "ground" : "steel");
    fittings.put(kit, m, 1, solids.cylinder(1.25 * u, 3.4 * u, -1.7 * u), "joint");
    if (m.places[0][0] < 0) for (const z of [a, b]) fittings.put(kit, m, 0, new THREE.BoxGeometry(2.6 * u, 2.6 * u, 0.5 * u).translate(0, 0, z), "ground");
  },
  thread(kit, m) {
    fittings.make.sleeve(kit, m);
    const { u } = kit, [low, high] = m.travel, a = low[2] - 3 * u, b = high[2] + 3 * u, turns = Math.max(2, Math.min(60, Math.round((b - a) / (0.9 * u))));
    fittings.put(kit, m, 0, fittings.helix(0.68 * u, 0.14 * u, turns, b - a).translate(0, 0, a), "joint");
  },
  bead(kit, m) {
    const { u } = kit, [low, high] = m.travel, a = low[2] - 3 * u, b = high[2] + 3 * u;
    fittings.put(kit, m, 0, solids.cylinder(0.45 * u, b - a, a), m.places[0][0] < 0 ? "ground" : "joint");
    fittings.put(kit, m, 1, new THREE.SphereGeometry(1.25 * u, 24, 16), "steel");
  },
  plane(kit, m) {
    const { u } = kit, [low, high] = m.travel, x = [low[0] - 5 * u, high[0] + 5 * u], y = [low[1] - 5 * u, high[1] + 5 * u];
    const plate = new THREE.BoxGeometry(x[1] - x[0], y[1] - y[0], 0.2 * u).translate((x[0] + x[1]) / 2, (y[0] + y[1]) / 2, -0.1 * u);
    fittings.put(kit, m, 0, plate, "glass").castShadow = false;
    fittings.put(kit, m, 1, solids.cylinder(1.3 * u, 0.5 * u, 0), "steel");
  },
  weld(kit, m) {
    fittings.put(kit, m, 1, new THREE.BoxGeometry(2 * kit.u, 2 * kit.u, 2 * kit.u), "joint");
    fittings.foot(kit, m);
  },
  dot(kit, m) { fittings.put(kit, m, 1, new THREE.SphereGeometry(0.8 * kit.u, 16, 12), "joint"); },
  motor(kit, m) {
    // an arrow around the axis
    const { u } = kit, r = 2.3 * u, z = 1.9 * u, paint = "motor";
    fittings.put(kit, m, 0, new THREE.TorusGeometry(r, 0.22 * u, 10, 48, 4.4).translate(0, 0, z), paint);
    fittings.put(kit, m, 0, solids.cylinder(0.65 * u, 1.4 * u, 0, 0).rotateX(-Math.PI / 2).translate(r, 0, z).rotateZ(4.4), paint);
  },
  bushing(kit, m) { fittings.put(kit, m, 1, solids.cylinder(1.5 * kit.u, 2.4 * kit.u, -1.2 * kit.u), "joint"); fittings.foot(kit, m); },
  torsion_spring(kit, m) {
    const { u } = kit, points = [];
    for (let i = 0; i <= 90; i++) { const a = i / 90 * 6 * Math.PI, r = (1.4 + 1.6 * i / 90) * u; points.push(new THREE.Vector3(r * Math.cos(a), r * Math.sin(a), 0)); }
    fittings.put(kit, m, 0, new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points), 180, 0.18 * u, 8), "joint");
  },
};
fittings.make.slot = fittings.make.bead;
fittings.make.cylinder = fittings.make.sleeve;

// wire around z from 0 to the length
fittings.helix = function (radius, wire, turns, length) {
  const points = [], n = Math.ceil(16 * turns);
  for (let i = 0; i <= n; i++) { const a = 2 * Math.PI * turns * i / n; points.push(new THREE.Vector3(radius * Math.cos(a), radius * Math.sin(a), length * i / n)); }
  return new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points), 2 * n, wire, 6);
};

// elements between two points: what is drawn from 0 to 1 along z, stretched when placed
fittings.stretched = {
  spring(kit, l) {
    const { u } = kit, r = Math.min(1.5 * u, 0.2 * l), wire = Math.min(0.22 * u, 0.04 * l), turns = Math.max(5, Math.min(14, Math.round(l / (1.6 * u))));
    return [fittings.helix(r, wire, turns, 0.8 * l).translate(0, 0, 0.1 * l), solids.cylinder(wire, 0.1 * l, 0), solids.cylinder(wire, 0.1 * l, 0.9 * l)]
      .map((g) => [g.scale(1, 1, 1 / l), "joint"]);
  },
  link(kit, l) { return [[solids.cylinder(0.5 * kit.u, 1, 0), "joint"]]; },
};

// barrel from the first point, as long as it is; rod from the second, as long as needed to reach into it
fittings.telescope = function (kit, shortest, wide) {
  const { u } = kit, barrel = 0.62 * shortest;
  return {
    first: [[solids.cylinder(0.25 * u, 0.2 * barrel, 0), "joint"], [solids.cylinder(wide * u, 0.8 * barrel, 0.2 * barrel), "joint"]],
    second: [[solids.cylinder(0.42 * u, 1, 0), "steel"]],
    reach: 0.6 * barrel,
  };
};

fittings.between = function (kit, m) {
  const group = new THREE.Group(), distance = (k) => solids.length(where(m.places[0], k), where(m.places[1], k));
  let least = Infinity, sum = 0, count = 0;
  for (let k = 0; k < N; k += Math.max(1, Math.floor(N / 200))) { const d = distance(k); least = Math.min(least, d); sum += d; count++; }
  const typical = Math.max(sum / count, kit.u), parts = [];
  const add = (list) => list.map(([geometry, paint]) => {
    const mesh = new THREE.Mesh(geometry, kit.paints.get(paint));
    mesh.castShadow = kit.shadows;
    parts.push(mesh);
    group.add(mesh);
    return mesh;
  });
  if (m.glyph === "damper" || m.glyph === "actuator") {
    const made = fittings.telescope(kit, Math.max(least, 0.3 * typical), m.glyph === "damper" ? 1.15 : 0.95), first = add(made.first), second = add(made.second);
    kit.moving.push((k) => {
      const [a, b] = m.places.map((place) => where(place, k));
      first.forEach((mesh) => solids.along(mesh, a, b));
      const rod = new THREE.Matrix4().makeScale(1, 1, Math.max(solids.length(a, b) - made.reach, 1e-9));
      second.forEach((mesh) => { solids.along(mesh, b, a); mesh.matrix.multiply(rod); });
    });
  } else {
    const meshes = add(fittings.stretched[m.glyph](kit, typical));
    kit.moving.push((k) => {
      const [a, b] = m.places.map((place) => where(place, k)), stretch = new THREE.Matrix4().makeScale(1, 1, Math.max(solids.length(a, b), 1e-9));
      meshes.forEach((mesh) => { solids.along(mesh, a, b); mesh.matrix.multiply(stretch); });
    });
  }
  // balls where it is held
  m.places.forEach((place) => {
    const ball = new THREE.Mesh(new THREE.SphereGeometry(0.75 * kit.u, 16, 12), kit.paints.get("steel"));
    ball.position.set(...place[1]);
    kit.groupOf(place[0]).add(ball);
  });
  return group;
};

fittings.add = function (kit, m) {
  if (!m.frames) return;
  if (["spring", "damper", "actuator", "link"].includes(m.glyph)) { kit.scene.add(fittings.between(kit, m)); return; }
  if (m.glyph === "wheel") {
    // ground that is not level
    const up = kit.up, n = m.frames[0].map((row) => row[2]);
    if (m.places[0][0] < 0 && Math.abs(n.reduce((s, x, i) => s + x * up[i], 0)) < 1 - 1e-6) {
      const low = m.travel[0].slice(), high = m.travel[1], z = low[2];
      const plate = new THREE.BoxGeometry(high[0] - low[0] + 10 * kit.u, high[1] - low[1] + 10 * kit.u, 0.2 * kit.u);
      fittings.put(kit, m, 0, plate.translate((high[0] + low[0]) / 2, (high[1] + low[1]) / 2, Math.min(0, z) - 0.1 * kit.u), "glass").castShadow = false;
    }
    return;
  }
  const make = fittings.make[m.glyph];
  if (make && (m.kind !== "force" || m.glyph === "bushing" || m.glyph === "torsion_spring")) make(kit, m);
};
