import { randomUUID } from 'node:crypto';
import type { Database } from '../../../database/database.ts';
import { Webhook } from '../../../database/entities/agent.entity.ts';
import { dateNow } from '../../../infrastructure/clock.ts';
import type { SealedText } from '../../../infrastructure/sealed-text.ts';
import { previousSecrets, signingSecrets } from './signature.ts';
import type { WebhookSender } from './webhook.sender.ts';

interface Deps {
  database: Database;
  sealed: SealedText;
  sender: WebhookSender;
}

/** Asks bots by their webhooks for what somebody waits for (contract §4, Commands). Nothing is kept or repeated. */
export class WebhookQuestions {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** @returns the text of the response; undefined without an active webhook, or a good response within `ms` */
  async ask(agentId: string, type: string, data: object, ms: number): Promise<string | undefined> {
    const webhook = await this.deps.database.read((em) => em.findOne(Webhook, agentId));
    if (webhook?.state !== 'active') return undefined;
    const secrets = signingSecrets(this.deps.sealed, webhook.secret, previousSecrets(webhook));
    if (secrets.length === 0) return undefined;
    const timestamp = dateNow().toISOString();
    const body = JSON.stringify({ type, timestamp, agentId, room: null, seq: null, data });
    return this.deps.sender.ask({ url: webhook.url, secrets, id: `msg_${randomUUID()}`, body }, ms);
  }
}
