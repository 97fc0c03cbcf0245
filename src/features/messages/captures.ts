import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { Written } from '../../delivery/batch.ts';
import type { Context } from '../context.ts';
import { captureSend } from './capture.table.ts';
import { Withheld } from './holding.ts';
import { asRow, type MessageComposer, type SendInput, type SendOptions } from './message.composer.ts';
import { type MessageRecord, messageRecord } from './message.view.ts';

interface Deps extends Pick<Context, 'database' | 'channelAccess'> {
  composer: MessageComposer;
}

/** Takes what rehearsing bots send: it is checked and answered as if it were sent, and nobody gets it (contract §4). */
export class Captures {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * @throws AppError as MessageService.send as far as that depends on the message alone, REHEARSAL_FULL, ACCESS_TOKEN_INVALID
   * for one that was ended meanwhile
   */
  async capture(
    actor: Actor,
    rehearsalId: string,
    channelId: string,
    input: SendInput,
    options: SendOptions,
  ): Promise<Written<MessageRecord>> {
    const channel = await this.deps.channelAccess.postable(actor, channelId);
    const message = await this.deps.composer.compose(actor, channel, input, options).catch(asHeld);
    const { row } = message;
    const onceKey = row.sentKey ?? row.nonce;
    const captured = await captureSend(this.deps.database.rows, { ...row, rehearsalId, onceKey });
    if (captured.id === null)
      throw new AppError(captured.outcome === 'full' ? 'REHEARSAL_FULL' : 'ACCESS_TOKEN_INVALID');
    const { id, content, outcome } = captured;
    const said = { ...asRow(message, actor, channel), id, content };
    return { result: messageRecord(said, actor.userId), repeated: outcome === 'repeated' };
  }
}

/** A moderator would see it first; nobody is to see this one. */
function asHeld(error: unknown): never {
  throw error instanceof Withheld ? new AppError('MESSAGE_HELD') : error;
}
