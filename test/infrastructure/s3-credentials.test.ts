// nodes: own

import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { S3Credentials } from '../../src/infrastructure/s3/credentials.ts';
import type { AwsVariables } from '../../src/settings/s3-settings.ts';

type Answer = (request: IncomingMessage, body: string) => string | number;

const hour = 3_600_000;
const until = (ms: number) => new Date(Date.now() + ms).toISOString();
const lent = (name: string, ms = hour) =>
  JSON.stringify({ AccessKeyId: name, SecretAccessKey: 'secret', Token: 'token', Expiration: until(ms) });

describe('the credentials for S3', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-aws-'));
  let server: Server;
  let url: string;
  let answer: Answer;
  let asked: string[];

  before(async () => {
    server = createServer(async (request, response) => {
      asked.push(`${request.method} ${request.url}`);
      const said = answer(request, await text(request));
      if (typeof said === 'number') response.writeHead(said).end();
      else response.end(said);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    url = `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`;
  });
  beforeEach(() => {
    asked = [];
  });
  after(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const from = (aws: AwsVariables, keys: { accessKeyId: string; secretAccessKey: string } | null = null) =>
    new S3Credentials({ keys, aws, region: 'eu-central-1' });

  it('are the keys of the settings, else those of AWS’s variables', async () => {
    const own = { accessKeyId: 'own', secretAccessKey: 'x' };
    const aws = { AWS_ACCESS_KEY_ID: 'aws', AWS_SECRET_ACCESS_KEY: 'y', AWS_SESSION_TOKEN: 'z' };
    expect(await from(aws, own).get()).to.deep.equal(own);
    expect(await from(aws).get()).to.deep.equal({ accessKeyId: 'aws', secretAccessKey: 'y', sessionToken: 'z' });
  });

  it('are lent to a service account of Kubernetes for its token', async () => {
    const file = path.join(folder, 'token');
    writeFileSync(file, 'the token\n');
    answer = (_request, body) => {
      const form = new URLSearchParams(body);
      expect(form.get('Action')).to.equal('AssumeRoleWithWebIdentity');
      expect([form.get('RoleArn'), form.get('WebIdentityToken')]).to.deep.equal(['arn:role', 'the token']);
      return `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>role</AccessKeyId>
        <SecretAccessKey>a&amp;b</SecretAccessKey><SessionToken>t</SessionToken><Expiration>${until(hour)}</Expiration>
        </Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`;
    };
    const aws = { AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: 'arn:role', AWS_ENDPOINT_URL_STS: url };
    const { accessKeyId, secretAccessKey, sessionToken } = await from(aws).get();
    expect([accessKeyId, secretAccessKey, sessionToken]).to.deep.equal(['role', 'a&b', 't']);
  });

  it('are lent to a container by its agent', async () => {
    answer = (request) => (request.headers.authorization === 'let me in' ? lent('container') : 401);
    const aws = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/v1/credentials` };
    expect((await from({ ...aws, AWS_CONTAINER_AUTHORIZATION_TOKEN: 'let me in' }).get()).accessKeyId).to.equal(
      'container',
    );
    const error: unknown = await from(aws)
      .get()
      .catch((reason) => reason);
    expect(error).to.include({ status: 401 });
  });

  it('are lent to a machine by its metadata', async () => {
    answer = ({ method, url, headers }) => {
      if (method === 'PUT') return 'session';
      if (headers['x-aws-ec2-metadata-token'] !== 'session') return 401;
      return url?.endsWith('/parley-role') ? lent('machine') : 'parley-role\n';
    };
    expect((await from({ AWS_EC2_METADATA_SERVICE_ENDPOINT: url }).get()).accessKeyId).to.equal('machine');
    const none: unknown = await from({ AWS_EC2_METADATA_DISABLED: 'true' })
      .get()
      .catch((reason) => reason);
    expect(String(none)).to.contain('set S3_ACCESS_KEY_ID');
  });

  it('are asked for once for as long as they are good, and anew before they end or once they were refused', async () => {
    const aws = { AWS_CONTAINER_CREDENTIALS_FULL_URI: url };
    answer = () => lent(`lent-${asked.length}`);
    const long = from(aws);
    const names = (await Promise.all([long.get(), long.get()])).map(({ accessKeyId }) => accessKeyId);
    expect([...names, (await long.get()).accessKeyId]).to.deep.equal(['lent-1', 'lent-1', 'lent-1']);
    long.forget();
    expect((await long.get()).accessKeyId).to.equal('lent-2');
    answer = () => lent(`short-${asked.length}`, 60_000);
    const short = from(aws);
    expect((await short.get()).accessKeyId).to.equal('short-3');
    expect((await short.get()).accessKeyId).to.equal('short-4');
    // Nobody lends new ones just now; the old ones are good for a while.
    answer = () => 500;
    expect((await short.get()).accessKeyId).to.equal('short-4');
  });
});
