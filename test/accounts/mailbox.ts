import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { atEnd } from '../rig/ending.ts';

/** A mail server that keeps what it gets. */
export interface MailServer {
  url: string;
  mails: Email[];
  stop(): Promise<void>;
}

/** @param behaviour hooks of the smtp-server package, to make it slow or deny service */
export async function startMailServer(behaviour: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: Email[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        mails.push(await PostalMime.parse(Buffer.concat(chunks)));
        done();
      });
    },
    ...behaviour,
  });
  server.on('error', () => {});
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const address = listening.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port.');
  const stop = () => new Promise<void>((resolve) => server.close(resolve));
  return { url: `smtp://127.0.0.1:${address.port}`, mails, stop };
}

/** A data folder whose outbox can be read. */
export function dataFolder(): { dataDir: string; mails(): Promise<Email[]> } {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'parley-outbox-'));
  atEnd(() => rm(dataDir, { recursive: true, force: true }));
  const folder = path.join(dataDir, 'outbox');
  return {
    dataDir,
    async mails() {
      const names = readdirSync(dataDir).includes('outbox') ? readdirSync(folder).sort() : [];
      const whole = names.filter((name) => name.endsWith('.eml'));
      return Promise.all(whole.map((name) => PostalMime.parse(readFileSync(path.join(folder, name)))));
    },
  };
}

export const codeIn = (mail: Email): string => /\b\d{6}\b/.exec(mail.text ?? '')?.[0] ?? '';
export const tokenIn = (mail: Email): string => /reset-password\?token=([\w-]+)/.exec(mail.text ?? '')?.[1] ?? '';
