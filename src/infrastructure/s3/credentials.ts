import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { AwsVariables, S3Settings } from '../../settings/s3-settings.ts';
import { clock } from '../clock.ts';
import { S3Error, textsOf } from './s3-error.ts';

/** What requests are signed with. */
interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

interface Lent extends Credentials {
  /** In ms since 1970. */
  expiresAt: number;
}

/** Lent credentials are replaced so long before they end, while the old ones are still good. */
const aheadMs = 5 * 60_000;
const answerWithinMs = 5000;
const metadataHost = 'http://169.254.169.254';
const containerHost = 'http://169.254.170.2';

/** What a container's agent and the machine's metadata answer. */
const lentSchema = z.object({
  AccessKeyId: z.string().min(1),
  SecretAccessKey: z.string().min(1),
  Token: z.string().optional(),
  Expiration: z.iso.datetime({ offset: true }),
});

/**
 * The keys of the settings or, without them, what AWS lends to the place where this runs, found in the order of its own
 * libraries: variables, the token of a role in Kubernetes (IRSA), a container's agent (ECS, EKS Pod Identity), the machine's
 * metadata (EC2, IMDSv2). Profiles in files and single sign-on are for people, not for servers.
 */
export class S3Credentials {
  private readonly settings: Pick<S3Settings, 'keys' | 'aws' | 'region'>;
  private lent: Lent | undefined;
  private asking: Promise<Lent> | undefined;

  constructor(settings: Pick<S3Settings, 'keys' | 'aws' | 'region'>) {
    this.settings = settings;
  }

  /** @throws S3Error where none can be had */
  async get(): Promise<Credentials> {
    const { keys, aws } = this.settings;
    if (keys) return keys;
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = aws;
    if (accessKeyId && secretAccessKey) return { accessKeyId, secretAccessKey, ...tokenOf(aws.AWS_SESSION_TOKEN) };
    const left = (this.lent?.expiresAt ?? 0) - clock.now();
    if (this.lent && left > aheadMs) return this.lent;
    this.asking ??= this.borrow().finally(() => {
      this.asking = undefined;
    });
    if (!this.lent || left <= 0) return this.asking;
    // The old ones are good for some minutes: if there are no new ones just now, those go on.
    return this.asking.catch(() => this.lent ?? Promise.reject(new S3Error('The credentials for S3 are over.')));
  }

  /** They were refused: the next request asks for new ones. */
  forget(): void {
    this.lent = undefined;
  }

  private async borrow(): Promise<Lent> {
    try {
      this.lent = await this.source();
      return this.lent;
    } catch (error) {
      if (error instanceof S3Error) throw error;
      throw new S3Error('No credentials for S3 can be had.', { cause: error });
    }
  }

  private source(): Promise<Lent> {
    const { aws, region } = this.settings;
    if (aws.AWS_WEB_IDENTITY_TOKEN_FILE && aws.AWS_ROLE_ARN) return fromRole(aws, region);
    const path = aws.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI;
    const url = path ? `${containerHost}${path}` : aws.AWS_CONTAINER_CREDENTIALS_FULL_URI;
    if (url) return fromContainer(url, aws);
    if (aws.AWS_EC2_METADATA_DISABLED?.toLowerCase() === 'true') {
      throw new S3Error('There are no credentials for S3: set S3_ACCESS_KEY_ID, or give this machine a role.', {
        status: 403,
      });
    }
    return fromMachine(aws.AWS_EC2_METADATA_SERVICE_ENDPOINT?.replace(/\/+$/, '') ?? metadataHost);
  }
}

/** A role of AWS for a service account of Kubernetes, whose token it renews in a file. */
async function fromRole(aws: AwsVariables, region: string): Promise<Lent> {
  const form = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: aws.AWS_ROLE_ARN ?? '',
    RoleSessionName: aws.AWS_ROLE_SESSION_NAME ?? 'parley',
    WebIdentityToken: (await readFile(aws.AWS_WEB_IDENTITY_TOKEN_FILE ?? '', 'utf8')).trim(),
  });
  const endpoint = aws.AWS_ENDPOINT_URL_STS ?? `https://sts.${region}.amazonaws.com`;
  const xml = await ask(endpoint, { method: 'POST', body: form });
  const names = ['AccessKeyId', 'SecretAccessKey', 'SessionToken', 'Expiration'] as const;
  const { SessionToken: Token, ...texts } = textsOf(xml, [...names]);
  return lentFrom({ ...texts, Token });
}

async function fromContainer(url: string, aws: AwsVariables): Promise<Lent> {
  const file = aws.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE;
  const token = file ? (await readFile(file, 'utf8')).trim() : aws.AWS_CONTAINER_AUTHORIZATION_TOKEN;
  return lentFrom(JSON.parse(await ask(url, token ? { headers: { Authorization: token } } : {})));
}

async function fromMachine(host: string): Promise<Lent> {
  const session = { 'X-aws-ec2-metadata-token-ttl-seconds': '300' };
  const token = await ask(`${host}/latest/api/token`, { method: 'PUT', headers: session });
  const headers = { 'X-aws-ec2-metadata-token': token };
  const roles = `${host}/latest/meta-data/iam/security-credentials/`;
  const [role = ''] = (await ask(roles, { headers })).split('\n');
  return lentFrom(JSON.parse(await ask(`${roles}${role.trim()}`, { headers })));
}

function lentFrom(answer: unknown): Lent {
  const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token, Expiration } = lentSchema.parse(answer);
  return { accessKeyId, secretAccessKey, ...tokenOf(Token), expiresAt: Date.parse(Expiration) };
}

const tokenOf = (sessionToken: string | undefined) => (sessionToken ? { sessionToken } : {});

async function ask(url: string, init: RequestInit): Promise<string> {
  const response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(answerWithinMs) });
  const text = await response.text();
  if (response.ok) return text;
  throw new S3Error(`${new URL(url).host} lends no credentials for S3: it answered ${response.status}.`, {
    status: response.status,
  });
}
