import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import {
  type Completion,
  choicesSchema,
  commandComplete,
  type completeCommandSchema,
  completionMs,
  type suggestionsAnswerSchema,
} from '../../contract/command.ts';
import type { Choice } from '../../contract/command-option.ts';
import { AppError } from '../../contract/errors.ts';
import { userRoom } from '../../contract/rooms.ts';
import { clock } from '../../infrastructure/clock.ts';
import type { WebhookQuestions } from '../agents/webhooks/webhook.questions.ts';
import type { Context } from '../context.ts';
import type { CommandTargets, Target } from './command.target.ts';

type Asked = z.output<typeof completeCommandSchema>;

/** Someone who waits here for a bot. */
interface Waiting {
  botUserId: string;
  answer(choices: Choice[]): void;
}

interface Deps extends Pick<Context, 'control' | 'ephemeral'> {
  targets: CommandTargets;
  webhookQuestions: WebhookQuestions;
}

/**
 * Values that bots suggest while someone types (contract §4, Commands): asked over the sockets of the bot, on whichever nodes,
 * and by its webhook. The first answer counts. Nothing is kept: whoever types on asks again.
 */
export class Completions {
  private readonly deps: Deps;
  private readonly waiting = new Map<string, Waiting>();

  constructor(deps: Deps) {
    this.deps = deps;
    deps.control.handle({ choices: ({ id, userId, choices }) => this.take(id, userId, choices) });
  }

  /** @throws AppError like `CommandTargets.find`, COMMAND_NOT_FOUND for an option that the bot completes nothing for */
  async complete(actor: Actor, channelId: string, asked: Asked): Promise<z.input<typeof suggestionsAnswerSchema>> {
    const target = await this.deps.targets.find(actor, channelId, asked);
    const option = target.command.options.find(({ name }) => name === asked.option);
    if (!option || !('completes' in option && option.completes)) {
      throw new AppError('COMMAND_NOT_FOUND', { message: 'This bot suggests nothing for such an option.' });
    }
    const choices = await this.ask(target.bot, completionOf(actor, target, asked));
    return { ok: true, answered: choices !== null, choices: choices ?? [] };
  }

  /** What a bot suggests, which may have been asked by another node. @throws AppError FORBIDDEN for people */
  answer({ userId, agent }: Actor, id: string, choices: Choice[]): void {
    if (!agent) throw new AppError('FORBIDDEN', { message: 'Only bots suggest values for their commands.' });
    if (this.waiting.has(id)) this.take(id, userId, choices);
    // The bot has nothing to wait for.
    else void this.deps.control.send({ kind: 'choices', id, userId, choices });
  }

  private take(id: string, botUserId: string, choices: Choice[]): void {
    const waiting = this.waiting.get(id);
    if (waiting?.botUserId === botUserId) waiting.answer(choices);
  }

  private ask({ agentId, userId }: Target['bot'], completion: Completion): Promise<Choice[] | null> {
    const { id } = completion;
    return new Promise((resolve) => {
      const end = (choices: Choice[] | null) => {
        clearTimeout(late);
        this.waiting.delete(id);
        resolve(choices);
      };
      const late = setTimeout(end, completionMs, null);
      this.waiting.set(id, { botUserId: userId, answer: end });
      this.deps.ephemeral.emit([userRoom(userId)], commandComplete, completion);
      this.askWebhook(agentId, completion).then(
        (choices) => choices && end(choices),
        // It cannot be asked now; a socket may still answer.
        () => {},
      );
    });
  }

  private async askWebhook(agentId: string, completion: Completion): Promise<Choice[] | undefined> {
    const answer = await this.deps.webhookQuestions.ask(agentId, commandComplete.name, completion, completionMs);
    const { success, data } = choicesSchema.safeParse(parsed(answer));
    return success ? data.choices : undefined;
  }
}

function completionOf({ user }: Actor, { channel, threadId, bot, command }: Target, asked: Asked): Completion {
  const { id, username, displayName, avatarUrl, isBot } = user;
  return {
    id: randomUUID(),
    agentId: bot.agentId,
    serverId: channel.serverId,
    channelId: channel.id,
    threadId,
    user: { id, username, displayName, avatarUrl, isBot },
    command: command.name,
    option: asked.option,
    typed: asked.typed,
    options: asked.options,
    endsAt: new Date(clock.now() + completionMs).toISOString(),
  };
}

/** What a bot has sent, which need not be JSON. */
function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
