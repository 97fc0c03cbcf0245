import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { root } from '../configuration.ts';
import { decisionFor, inside, type Licensed, refused, runningPackages } from './licences.ts';

const run = promisify(execFile);
const sbomBytes = 64 * 1024 ** 2;

/**
 * Writes what a release says about its packages: `sbom.cdx.json` (CycloneDX) with their versions and hashes, and
 * `licences.txt` with their licences.
 * @throws Error naming the packages whose licence is unknown, or that nobody has decided to accept
 */
export async function writeInventory(folder: string): Promise<void> {
  const packages = runningPackages(await readFile(path.join(root, 'package-lock.json'), 'utf8'));
  const wrong = refused(packages).map(({ name, licence }) => `${name} (${licence || 'unknown'})`);
  if (wrong.length > 0) {
    throw new Error(`No decision about the licences of ${wrong.join(', ')}; make it in src/cli/release/licences.ts.`);
  }
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'sbom.cdx.json'), `${JSON.stringify(await sbom(packages), null, 2)}\n`);
  await writeFile(path.join(folder, 'licences.txt'), await licencesText(packages));
}

const sbomSchema = z.looseObject({
  metadata: z.looseObject({ component: z.looseObject({ 'bom-ref': z.string() }) }),
  components: z.array(z.looseObject({ 'bom-ref': z.string(), name: z.string(), version: z.string() })),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()) })),
});

/** As npm makes it of the lock file, for all platforms. Its `--omit=dev` also leaves out what is needed for both. */
async function sbom(packages: Licensed[]): Promise<z.infer<typeof sbomSchema>> {
  const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
  const { stdout } = await run('npm', args, { cwd: root, maxBuffer: sbomBytes });
  const { metadata, components, dependencies, ...rest } = sbomSchema.parse(JSON.parse(stdout));
  const running = new Set(packages.map(({ name, version }) => `${name}@${version}`));
  const kept = components.filter(({ name, version }) => running.has(`${name}@${version}`));
  const refs = new Set([metadata.component['bom-ref'], ...kept.map((component) => component['bom-ref'])]);
  return {
    ...rest,
    // npm takes the folder's name.
    metadata: { ...metadata, component: { ...metadata.component, name: 'parley' } },
    components: kept,
    dependencies: dependencies
      .filter(({ ref }) => refs.has(ref))
      .map((one) => ({ ...one, dependsOn: one.dependsOn.filter((ref) => refs.has(ref)) })),
  };
}

async function licencesText(packages: Licensed[]): Promise<string> {
  const list = packages.map((one) => {
    const notes = [decisionFor(one), inside.find(({ packages: names }) => names.test(one.name))?.what];
    return [`${one.name} ${one.version}: ${one.licence}`, ...notes.filter(Boolean)].join('; ');
  });
  const texts = await Promise.all(packages.map(textOf));
  const head = 'The packages that Parley runs with, on all platforms, and their licences.';
  return `${[head, list.join('\n'), ...texts.filter((text) => text !== '')].join('\n\n')}\n`;
}

/** The texts that a package brings along; those of packages for other platforms are not here. */
async function textOf({ name, version, folder }: Licensed): Promise<string> {
  const at = path.join(root, folder);
  const names = await readdir(at).catch((): string[] => []);
  const files = names.filter((file) => /^(licen[cs]e|copying|notice)/i.test(file) && !/\.(js|ts|json)$/.test(file));
  const texts = await Promise.all(files.map((file) => readFile(path.join(at, file), 'utf8').catch(() => '')));
  const all = texts.map((text) => text.trim()).filter((text) => text !== '');
  return all.length > 0 ? [`==== ${name} ${version} ====`, ...all].join('\n\n') : '';
}
