// Symbols in space: the solids of a mark (see fittings.py), in metres and in the frame of the joint on one of its bodies, z along the axis.  Parts that
// belong to a body are put into its group once; what stands between two places is stretched at every output.
const fittings = {};

fittings.tube = (points, wire, pieces) => new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points), pieces, wire, 8);

// wire along points of a turn: radius and height over the share of the way
fittings.wound = function (turns, radius, height, wire) {
  const n = Math.ceil(16 * turns), points = Array.from({ length: n + 1 }, (_, i) => {
    const a = 2 * Math.PI * turns * i / n, r = radius(i / n);
    return new THREE.Vector3(r * Math.cos(a), r * Math.sin(a), height(i / n));
  });
  return fittings.tube(points, wire, 2 * n);
};

// geometry of one solid, from a to b along z
fittings.geometry = function ({ solid, size, turn }, a, b) {
  const [r, second, third] = size, l = b - a, between = Math.max(5, Math.min(60, Math.round(l / (third || 1))));
  if (solid === "cylinder") return solids.cylinder(r, l, a);
  if (solid === "box") return new THREE.BoxGeometry(r, second, l).translate(0, 0, (a + b) / 2);
  if (solid === "ball") return new THREE.SphereGeometry(r, 24, 16);
  if (solid === "ring") return new THREE.TorusGeometry(r, second, 12, 48, turn).translate(0, 0, a);
  if (solid === "cone") return solids.cylinder(r, second, 0, 0).rotateX(-Math.PI / 2).translate(third, 0, a).rotateZ(turn);
  if (solid === "coil") return fittings.wound(between, () => r, (s) => a + s * l, second);
  if (solid === "spiral") return fittings.wound(3, (s) => r + s * (second - r), () => 0, third);
  // a plate as large as the travel: x from, to, y from, to
  return new THREE.BoxGeometry(second - r, size[3] - third, l).translate((r + second) / 2, (third + size[3]) / 2, (a + b) / 2);
};

fittings.mesh = function (kit, s, a, b) {
  const mesh = new THREE.Mesh(fittings.geometry(s, a, b), kit.paints.get(s.paint));
  mesh.castShadow = kit.shadows && s.paint !== "glass";
  mesh.receiveShadow = kit.shadows;
  return mesh;
};

// foot of what is held by the ground: a pyramid on a plate, as in textbooks
fittings.foot = function (kit, mark, [wide, h, plate]) {
  const p = mark.places.find((place) => place[0] < 0)[1], group = new THREE.Group(), thick = 0.4 * kit.u;
  const cone = new THREE.CylinderGeometry(0.26 * wide, wide, h, 4).rotateX(Math.PI / 2).rotateZ(Math.PI / 4).translate(0, 0, -h / 2);
  for (const g of [cone, new THREE.BoxGeometry(plate, plate, thick).translate(0, 0, -h - thick / 2)]) group.add(new THREE.Mesh(g, kit.paints.get("ground")));
  group.children.forEach((m) => { m.castShadow = m.receiveShadow = kit.shadows; });
  solids.along(group, p, p.map((x, i) => x + kit.up[i]));
  kit.groupOf(-1).add(group);
  kit.pieces.push([group, mark]);
};

// what stands between two places: shares of the distance, a barrel as long as it is, a rod that reaches into it
fittings.between = function (kit, m, list) {
  const distance = (k) => solids.length(where(m.places[0], k), where(m.places[1], k)), all = [];
  for (let k = 0; k < N; k += Math.max(1, Math.floor(N / 200))) all.push(distance(k));
  const typical = Math.max(all.reduce((sum, d) => sum + d, 0) / all.length, kit.u), shortest = Math.max(Math.min(...all), 0.3 * typical);
  for (const s of list) {
    const [how, from, to] = s.span, stretch = new THREE.Matrix4();
    // no wider than the element is long
    const thin = { ...s, size: s.size.map((x, i) => (s.solid === "coil" && i < 2 ? Math.min(x, [0.2, 0.04][i] * typical) : x)) };
    const mesh = how === "share" ? fittings.mesh(kit, thin, from * typical, to * typical) : how === "rod" ? fittings.mesh(kit, s, 0, 1) : fittings.mesh(kit, s, from * shortest, to * shortest);
    kit.scene.add(mesh);
    kit.pieces.push([mesh, m]);
    kit.moving.push((k) => {
      const [a, b] = m.places.map((place) => where(place, k)), l = Math.max(solids.length(a, b), 1e-9);
      solids.along(mesh, ...(how === "rod" ? [b, a] : [a, b]));
      if (how !== "barrel") mesh.matrix.multiply(stretch.makeScale(1, 1, how === "share" ? l / typical : Math.max(l - from * shortest, 1e-9)));
    });
  }
};

// plane or ball that a contact touches: lines, and the face of a plane, which can be seen through
fittings.wire = function (kit, { body, lines, face }) {
  const group = kit.groupOf(body), geometry = new THREE.BufferGeometry(), ends = (points) => points.slice(1).flatMap((p, i) => [...points[i], ...p]);
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(lines.flatMap(ends), 3));
  group.add(new THREE.LineSegments(geometry, kit.paints.get("wire")));
  if (!face) return;
  const [a, b, c, d] = face, sheet = new THREE.BufferGeometry();
  sheet.setAttribute("position", new THREE.Float32BufferAttribute([a, b, c, a, c, d].flat(), 3));
  sheet.computeVertexNormals();
  const mesh = new THREE.Mesh(sheet, kit.paints.get("glass"));
  mesh.receiveShadow = kit.shadows;
  group.add(mesh);
};

fittings.add = function (kit, m) {
  const all = m.fittings || [];
  fittings.between(kit, m, all.filter((s) => s.span));
  for (const s of all.filter((x) => !x.span)) {
    if (s.solid === "foot") { fittings.foot(kit, m, s.size); continue; }
    const [number, point] = m.places[s.end], piece = solids.frame(fittings.mesh(kit, s, ...s.z), point, m.frames[s.end]);
    kit.groupOf(number).add(piece);
    kit.pieces.push([piece, m]);
  }
};
