/** @param {WebGL2RenderingContext} gl @param {string} vertexText @param {string} fragmentText */
export function programOf(gl, vertexText, fragmentText) {
  const made = /** @type {WebGLProgram} */ (gl.createProgram());
  for (const [kind, text] of /** @type {[number, string][]} */ (
    [[gl.VERTEX_SHADER, vertexText], [gl.FRAGMENT_SHADER, fragmentText]])) {
    const shader = /** @type {WebGLShader} */ (gl.createShader(kind));
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made) || 'shaders');
  /** @type {Record<string, WebGLUniformLocation | null>} */
  const uniforms = {};
  for (let i = 0; i < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); ++i) {
    const name = /** @type {WebGLActiveInfo} */ (gl.getActiveUniform(made, i)).name.replace('[0]', '');
    uniforms[name] = gl.getUniformLocation(made, name);
  }
  return {made, uniforms};
}
