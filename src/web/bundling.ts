import { type BuildOptions, build, type OutputFile, stop } from 'esbuild';

let underWay = 0;

/**
 * Bundles scripts for browsers in memory. esbuild works in a process of its own, which is ended as soon as nothing is being
 * made: it would stay as long as the node, with 40 MB and a wake-up each second.
 */
export async function bundled(options: BuildOptions): Promise<OutputFile[]> {
  underWay++;
  try {
    const { outputFiles = [] } = await build({
      bundle: true,
      write: false,
      minify: true,
      format: 'esm',
      target: ['es2022'],
      logLevel: 'silent',
      ...options,
    });
    return outputFiles;
  } finally {
    underWay--;
    if (underWay === 0) await stop();
  }
}
