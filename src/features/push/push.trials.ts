import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { Database } from '../../database/database.ts';
import { nameOf } from '../accounts/sessions/device.ts';
import type { Outcome, PushSender } from './push.sender.ts';
import { pushTable } from './push.table.ts';
import { testPayload } from './push.texts.ts';

/** What became of a trial push to a device. */
interface PushTrial {
  sessionId: string;
  device: string | null;
  outcome: Outcome['is'] | 'outdated';
  detail: string | null;
}

const most = 20;
const longestMs = 20_000;

/** Pushes at once, for someone who waits for what the push services answer. Nothing is queued, and nothing ends by it. */
export class PushTrials {
  private readonly database: Pick<Database, 'rows'>;
  private readonly sender: PushSender | null;

  /** @param sender null: nothing is pushed */
  constructor(database: Pick<Database, 'rows'>, sender: PushSender | null) {
    this.database = database;
    this.sender = sender;
  }

  /** To the newest devices of the actor. @throws AppError PUSH_OFF */
  async run({ userId }: Pick<Actor, 'userId'>): Promise<PushTrial[]> {
    const sender = this.sender;
    if (!sender) throw new AppError('PUSH_OFF');
    const targets = await pushTable.targetsOfUser(this.database.rows, userId, most);
    const over = AbortSignal.timeout(longestMs);
    return Promise.all(
      targets.map(async ({ deviceName, userAgent, language, ...to }) => {
        const device = nameOf({ ip: '', deviceName, userAgent });
        const about = { sessionId: to.sessionId, device };
        if (!sender.isSignedFor(to)) return { ...about, outcome: 'outdated', detail: null };
        const outcome = await sender.send(to, testPayload(language), { urgency: 'high', about: 'test' }, over);
        return { ...about, outcome: outcome.is, detail: 'error' in outcome ? outcome.error : null };
      }),
    );
  }
}
