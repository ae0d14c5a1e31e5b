function program(gl, vertexText, fragmentText) {
  const made = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertexText], [gl.FRAGMENT_SHADER, fragmentText]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made) || 'shaders');
  const uniforms = {};
  for (let i = 0; i < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); ++i) {
    const name = gl.getActiveUniform(made, i).name.replace('[0]', '');
    uniforms[name] = gl.getUniformLocation(made, name);
  }
  return {made, uniforms};
}

const rgb = g => [1, 3, 5].map(at => parseInt(g.color.slice(at, at + 2), 16) / 255);
let highlighted = -1;  // group under the pointer in the legend; the others are faint
const weight = (g, i) => !g.shown ? 0 : highlighted < 0 || highlighted === i ? 1 : 0.08;

function webgl() {
  const gl = canvas.getContext('webgl2', {antialias: false, alpha: false});
  if (!gl || !gl.getExtension('EXT_color_buffer_float')) return null;
  const points = program(gl, pointVertexShader, discShader), strokes = program(gl, edgeVertexShader, edgeShader), page = program(gl, pageVertexShader, pageShader);
  const array = gl.createVertexArray(), edges = gl.createVertexArray(), empty = gl.createVertexArray();
  gl.bindVertexArray(array);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, positions, gl.STATIC_DRAW);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, width, gl.FLOAT, false, 0, 0);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, groupOf, gl.STATIC_DRAW);
  gl.enableVertexAttribArray(1);
  gl.vertexAttribIPointer(1, 1, gl.UNSIGNED_BYTE, 0, 0);
  gl.bindVertexArray(edges);
  for (const end of [0, 1]) {
    const at = new Float32Array(ends.length / 2 * width);
    for (let e = end, to = 0; e < ends.length; e += 2) {
      for (let c = 0; c < width; ++c) at[to++] = positions[width * ends[e] + c];
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, at, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(end);
    gl.vertexAttribPointer(end, width, gl.FLOAT, false, 0, 0);
    gl.vertexAttribDivisor(end, 1);
  }
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, Uint8Array.from(ends, end => groupOf[end]), gl.STATIC_DRAW);
  gl.enableVertexAttribArray(2);
  gl.vertexAttribIPointer(2, 2, gl.UNSIGNED_BYTE, 0, 0);
  gl.vertexAttribDivisor(2, 1);
  const texture = filter => {
    const made = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, made);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    return made;
  };
  const colors = texture(gl.NEAREST), sums = texture(gl.LINEAR_MIPMAP_NEAREST), frame = gl.createFramebuffer();
  const lines = texture(gl.NEAREST), under = gl.createFramebuffer();
  gl.blendFunc(gl.ONE, gl.ONE);

  function resize() {
    for (const [target, buffer] of [[sums, frame], [lines, under]]) {
      gl.bindTexture(gl.TEXTURE_2D, target);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA16F, canvas.width, canvas.height, 0, gl.RGBA, gl.HALF_FLOAT, null);
      gl.bindFramebuffer(gl.FRAMEBUFFER, buffer);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, target, 0);
    }
  }
  function begin(buffer, {made, uniforms}) {
    gl.bindFramebuffer(gl.FRAMEBUFFER, buffer);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.enable(gl.BLEND);
    gl.useProgram(made);
    gl.uniformMatrix3fv(uniforms.turn, true, view.rotation);
    gl.uniform3fv(uniforms.center, center);
    gl.uniform2f(uniforms.middle, view.x, view.y);
    gl.uniform2f(uniforms.scale, 2 * view.scale / size.w, 2 * view.scale / size.h);
    gl.uniform1f(uniforms.reach, is3d ? reach : 0);
    return uniforms;
  }
  function draw(params, pixels) {
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.bindTexture(gl.TEXTURE_2D, colors);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, groups.length, 1, 0, gl.RGBA, gl.FLOAT,
                  new Float32Array(groups.flatMap((g, i) => [...rgb(g), weight(g, i)])));
    const l = begin(under, strokes);
    gl.uniform2f(l.half_page, canvas.width / 2, canvas.height / 2);
    gl.uniform1f(l.stroke, params.lineWidth * pixels);
    gl.uniform1i(l.named, named ? 1 : 0);
    gl.uniform3fv(l.gray, rgb({color: facts.gray}));
    gl.bindVertexArray(edges);
    if (ends.length) gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, ends.length / 2);

    const u = begin(frame, points);
    gl.uniform1f(u.diameter, params.diameter * pixels);
    gl.bindVertexArray(array);
    gl.drawArrays(gl.POINTS, 0, n);

    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.disable(gl.BLEND);
    gl.useProgram(page.made);
    const v = page.uniforms;
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, lines);
    gl.uniform1i(v.lines, 1);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, sums);
    gl.generateMipmap(gl.TEXTURE_2D);  // coarse levels have the local density
    gl.uniform1f(v.lineAlpha, params.lineAlpha);
    gl.uniform1f(v.linePower, params.linePower);
    gl.uniform1f(v.alpha, params.alpha);
    gl.uniform1f(v.power, params.power);
    gl.uniform1f(v.most, params.most);
    gl.uniform1i(v.plain, named ? 0 : 1);
    gl.uniform3fv(v.ramp, facts.ramp.flatMap(color => rgb({color})));
    gl.bindVertexArray(empty);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }
  return {resize, draw};
}

// Fallback without WebGL: draws points and edges in order
function canvas2d() {
  const context = canvas.getContext('2d'), p = [0, 0];
  function draw(params, pixels) {
    context.setTransform(pixels, 0, 0, pixels, 0, 0);
    context.fillStyle = '#fff';
    context.fillRect(0, 0, size.w, size.h);
    context.lineWidth = params.lineWidth;
    context.strokeStyle = facts.gray;
    context.globalAlpha = params.lineAlpha;
    for (let e = 0; e < ends.length; e += 2) {
      if (!groups[groupOf[ends[e]]].shown || !groups[groupOf[ends[e + 1]]].shown) continue;
      context.beginPath();
      context.moveTo(across(project(ends[e], p)[0]), down(p[1]));
      context.lineTo(across(project(ends[e + 1], p)[0]), down(p[1]));
      context.stroke();
    }
    const d = params.diameter;
    for (let i = 0; i < n; ++i) {
      const g = groups[groupOf[i]], w = weight(g, groupOf[i]);
      if (w === 0) continue;
      project(i, p);
      context.globalAlpha = params.alpha * w;
      context.fillStyle = g.color;
      context.fillRect(across(p[0]) - d / 2, down(p[1]) - d / 2, d, d);
    }
  }
  return {resize() {}, draw};
}

