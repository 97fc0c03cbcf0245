// nodes: own
// long

import { expect } from 'chai';
import { environmentSchema } from '../../src/settings/settings.ts';
import { checkManifests, type Manifest, renderChart, type Values } from '../rig/chart.ts';

const least: Values = {
  image: { repository: 'registry.example/parley' },
  publicUrl: 'https://chat.example.com',
  secrets: { databaseUrl: 'postgres://parley:secret@db/parley', redisUrl: 'redis://redis' },
};
const most: Values = {
  ...least,
  imagePullSecrets: [{ name: 'registry' }],
  secrets: { databaseUrl: 'postgres://db/parley', redisUrl: 'redis://redis', more: { SMTP_URL: 'smtp://mail' } },
  env: { LOG_LEVEL: 'warn', WEB_CONCURRENCY: 2 },
  envFrom: [{ configMapRef: { name: 'more' } }],
  settings: { delivery: { retentionDays: 30 } },
  ingress: {
    enabled: true,
    className: 'nginx',
    hosts: ['talk.example.com'],
    tlsSecret: 'tls',
    annotations: { a: 'b' },
  },
  autoscaling: { enabled: true, sockets: { enabled: true } },
  networkPolicy: { enabled: true, from: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }] },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
  service: { annotations: { c: 'd' } },
  serviceAccount: { annotations: { e: 'f' } },
  podAnnotations: { g: 'h' },
  podLabels: { i: 'j' },
  nodeSelector: { disk: 'fast' },
  tolerations: [{ key: 'chat', operator: 'Exists' }],
  affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
};

const kinds = (manifests: Manifest[]) => manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();
const one = (manifests: Manifest[], kind: string) => manifests.find((manifest) => manifest.kind === kind);
const text = (manifests: Manifest[], kind: string) => JSON.stringify(one(manifests, kind));

describe('the Helm chart', function () {
  // The first one builds the renderer.
  this.timeout(600_000);

  it('is what Kubernetes takes, with the least that has to be said', async () => {
    const manifests = await renderChart(least);
    expect(kinds(manifests)).to.deep.equal([
      'Deployment chat-parley',
      'Job chat-parley-migrate',
      'Pod chat-parley-test',
      'PodDisruptionBudget chat-parley',
      'Secret chat-parley',
      'Secret chat-parley-migrate',
      'Service chat-parley',
      'ServiceAccount chat-parley',
    ]);
    await checkManifests(manifests);
  });

  it('is what Kubernetes takes, with everything turned on', async () => {
    const manifests = await renderChart(most);
    await checkManifests(manifests);
    expect(kinds(manifests)).to.include.members([
      'ConfigMap chat-parley',
      'HorizontalPodAutoscaler chat-parley',
      'Ingress chat-parley',
      'NetworkPolicy chat-parley',
      'ServiceMonitor chat-parley',
    ]);
    expect(text(manifests, 'Ingress')).to.contain('"chat.example.com"').and.to.contain('"talk.example.com"');
    expect(text(manifests, 'HorizontalPodAutoscaler')).to.contain('"parley_sockets"').and.to.contain('"cpu"');
    // How many pods there are is then not for the chart to say.
    expect(one(manifests, 'Deployment')?.spec).to.not.have.property('replicas');
  });

  it('notices a field that Kubernetes does not know, and a value of the wrong kind', async () => {
    const [manifest] = (await renderChart(least)).filter(({ kind }) => kind === 'PodDisruptionBudget');
    if (!manifest) throw new Error('The chart has no PodDisruptionBudget.');
    const complaint = (spec: unknown) =>
      checkManifests([{ ...manifest, spec }]).then(
        () => '',
        (error: unknown) => String(error),
      );
    expect(await complaint({ maxUnavailable: 1, minAvailible: 1 })).to.contain('minAvailible');
    expect(await complaint({ maxUnavailable: true })).to.contain('maxUnavailable');
  });

  it('makes no Secret where there is one', async () => {
    const manifests = await renderChart({ ...least, secrets: { existingSecret: 'of-ours' } });
    await checkManifests(manifests);
    expect(one(manifests, 'Secret')).to.equal(undefined);
    for (const kind of ['Deployment', 'Job']) expect(text(manifests, kind)).to.contain('"of-ours"');
  });

  it('makes secrets that the server takes', async () => {
    const manifests = await renderChart(least);
    // The migration has a Secret of its own.
    const data = manifests.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === 'chat-parley')?.data;
    const env = Object.entries(data ?? {}).map(([name, value]) => [
      name,
      Buffer.from(String(value), 'base64').toString(),
    ]);
    const parsed = environmentSchema.parse(Object.fromEntries(env));
    expect(parsed.JWT_SECRET?.[0]).to.have.length.of.at.least(32);
    expect(Buffer.from(parsed.VAPID_PRIVATE_KEY ?? '', 'base64')).to.have.lengthOf(32);
  });

  it('runs as nobody on a root that cannot be written, with the probes of the server', async () => {
    const manifests = await renderChart(least);
    for (const kind of ['Deployment', 'Job', 'Pod']) {
      const shown = text(manifests, kind);
      expect(shown).to.contain('"runAsNonRoot":true').and.to.contain('"readOnlyRootFilesystem":true');
      expect(shown).to.contain('"drop":["ALL"]').and.to.contain('"automountServiceAccountToken":false');
    }
    const shown = text(manifests, 'Deployment');
    expect(shown).to.match(/"livenessProbe":\{[^}]*\{"path":"\/healthz"/);
    expect(shown).to.match(/"readinessProbe":\{[^}]*\{"path":"\/readyz"/);
  });

  for (const [missing, values] of [
    ['image.repository', { ...least, image: {} }],
    ['publicUrl', { ...least, publicUrl: '' }],
    ['secrets.databaseUrl', { ...least, secrets: { redisUrl: 'redis://redis' } }],
    ['secrets.redisUrl', { ...least, secrets: { databaseUrl: 'postgres://db/parley' } }],
  ] as const) {
    it(`says that ${missing} is missing`, async () => {
      const complaint = await renderChart(values).then(
        () => '',
        (error: unknown) => String(error),
      );
      expect(complaint).to.contain(missing);
    });
  }
});
