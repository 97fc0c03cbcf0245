import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { findProgram } from './debian-program.ts';
import { atEnd } from './ending.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
export const chartFolder = path.join(root, 'deploy/helm/parley');

const isMap = z.record(z.string(), z.unknown());
const chartSchema = z.object({ name: z.string(), version: z.string(), appVersion: z.string() });
const manifestSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});

export type Manifest = z.infer<typeof manifestSchema>;
/** Values of the chart, as deep as they go. */
export interface Values {
  [name: string]: unknown;
}

let renderer: Promise<string> | undefined;

/**
 * What the chart makes of values that replace its own, for a release called `chat`.
 * @throws with the chart's complaint, such as one about a value that is missing
 */
export async function renderChart(values: Values): Promise<Manifest[]> {
  const { name, version, appVersion } = chartSchema.parse(await yamlFile('Chart.yaml'));
  const data = {
    Values: merged(isMap.parse(await yamlFile('values.yaml')), values),
    Release: { Name: 'chat', Namespace: 'talk', Service: 'Helm' },
    Chart: { Name: name, Version: version, AppVersion: appVersion },
  };
  renderer ??= buildRenderer();
  const rendering = run(await renderer, [chartFolder], { maxBuffer: 2 ** 24 });
  rendering.child.stdin?.end(JSON.stringify(data));
  const { stdout } = await rendering;
  const documents = parseAllDocuments(stdout).map((document) => {
    const [error] = document.errors;
    if (error) throw error;
    const read: unknown = document.toJS();
    return read;
  });
  return documents.filter(Boolean).map((document) => manifestSchema.parse(document));
}

export async function yamlFile(name: string): Promise<unknown> {
  return parse(await readFile(path.join(chartFolder, name), 'utf8'));
}

/** As Helm lays the values of an operator over those of the chart. */
function merged(base: Values, over: Values): Values {
  const result = { ...base };
  for (const [name, value] of Object.entries(over)) {
    const [below, above] = [isMap.safeParse(base[name]), isMap.safeParse(value)];
    result[name] = below.success && above.success ? merged(below.data, above.data) : value;
  }
  return result;
}

/** Go's own templates with the functions that Helm gives them: test/rig/chart/main.go. */
async function buildRenderer(): Promise<string> {
  const sprig = 'usr/share/gocode/src/github.com/Masterminds/sprig';
  const go = await findProgram({
    package: 'golang-go',
    file: 'usr/bin/go',
    versionFlag: 'version',
    with: { package: 'golang-github-masterminds-sprig-dev', file: sprig },
  });
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-chart-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  const program = path.join(folder, 'render');
  const env = {
    ...go.env,
    GO111MODULE: 'off',
    GOFLAGS: '',
    GOPATH: path.join(go.root, 'usr/share/gocode'),
    GOCACHE: path.join(folder, 'cache'),
    CGO_ENABLED: '0',
  };
  await run(go.command, ['build', '-o', program, path.join(import.meta.dirname, 'chart/main.go')], { env });
  return program;
}

/**
 * Holds manifests against Kubernetes: their types, which know every field, and the schemas that its API server has.
 * @throws with what the compiler or the schema says
 */
export async function checkManifests(manifests: Manifest[]): Promise<void> {
  // In the repository, so that the packages with the types are found.
  await mkdir(path.join(root, '.test'), { recursive: true });
  const folder = await mkdtemp(path.join(root, '.test/manifests-'));
  try {
    const file = path.join(folder, 'manifests.ts');
    await writeFile(file, manifests.map(statement).join('\n'));
    // Its complaint then shows the line.
    const options = [
      '--pretty',
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'esnext',
    ];
    const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
    await complaining(run(process.execPath, [compiler, ...options, '--ignoreConfig', file]));
    await complaining(run(process.execPath, [file]));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function statement({ apiVersion, kind, ...rest }: Manifest, at: number): string {
  const crds = '@kubernetes-models/prometheus-operator';
  const from = `${apiVersion.startsWith('monitoring.') ? crds : 'kubernetes-models'}/${apiVersion}`;
  const made = `new Kind${at}(${JSON.stringify(rest, null, 2)}).validate();`;
  return `import { ${kind} as Kind${at} } from '${from}';\n${made}`;
}

/** A program's complaint is on its standard output, or on the other one. */
async function complaining(ending: Promise<unknown>): Promise<void> {
  await ending.catch((error: unknown) => {
    const { stdout, stderr } = z.object({ stdout: z.string(), stderr: z.string() }).parse(error);
    throw new Error(`${stdout}${stderr}`.trim());
  });
}
