import { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import { countedIn, nothing } from './counted.ts';
import { eventData } from './event-data.ts';
import type { KeyGuard } from './key-guard.ts';

/** Of what an answer has besides its text, in characters. */
const maxBeside = 1024 * 1024;

const callSchema = z.object({
  index: z.int().default(0),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).default({}),
});
const deltaSchema = z.object({
  content: z.string().nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(callSchema).nullish(),
});
const partSchema = z.object({
  choices: z
    .array(
      z.object({
        index: z.number().default(0),
        delta: deltaSchema.default({}),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
  error: z.unknown().optional(),
});

/** A tool that the model asks to call. */
interface ToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** An answer of a model that comes in pieces. */
export class StreamedAnswer {
  counted = nothing;
  /** Null: it has not ended. */
  finishReason: string | null = null;
  private refusal = '';
  private readonly calls = new Map<number, ToolCall>();
  private beside = 0;

  /**
   * Its text, as it comes.
   * @throws AppError MODEL_PROXY_UPSTREAM_ERROR for an error among its events, and where it is cut off; and what else breaks it
   */
  async *texts(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
    for await (const data of eventData(body)) {
      if (data === '[DONE]') {
        this.finishReason ??= 'stop';
        return;
      }
      const chunk: unknown = JSON.parse(data);
      const { choices, error } = partSchema.parse(chunk);
      if (error) throw new AppError('MODEL_PROXY_UPSTREAM_ERROR');
      this.counted = countedIn(chunk) ?? this.counted;
      const own = choices.find(({ index }) => index === 0);
      if (!own) continue;
      this.finishReason = own.finish_reason ?? this.finishReason;
      this.addBeside(own.delta);
      yield own.delta.content ?? '';
    }
    if (this.finishReason === null) {
      throw new AppError('MODEL_PROXY_UPSTREAM_ERROR', { message: 'The model was cut off.' });
    }
  }

  /** In the provider's form, with the text that was said. */
  messageWith(content: string): object {
    const refusal = this.refusal === '' ? {} : { refusal: this.refusal };
    const calls = this.calls.size === 0 ? {} : { tool_calls: [...this.calls.values()] };
    return { role: 'assistant', content: content === '' ? null : content, ...refusal, ...calls };
  }

  private addBeside({ refusal, tool_calls: calls }: z.output<typeof deltaSchema>): void {
    this.refusal += refusal ?? '';
    this.beside += refusal?.length ?? 0;
    for (const { index, id, function: more } of calls ?? []) {
      const call = this.calls.get(index) ?? { id: '', type: 'function', function: { name: '', arguments: '' } };
      call.id ||= id ?? '';
      call.function.name += more.name ?? '';
      call.function.arguments += more.arguments ?? '';
      this.calls.set(index, call);
      this.beside += JSON.stringify(call.id).length + (more.name?.length ?? 0) + (more.arguments?.length ?? 0);
    }
    if (this.beside > maxBeside) throw new AppError('MODEL_PROXY_UPSTREAM_ERROR');
  }
}

/** A text that comes in pieces as it can be shown and kept: without the operator's key, U+0000 and halves of characters. */
export async function* presentable(texts: AsyncIterable<string>, keyGuard: KeyGuard): AsyncGenerator<string> {
  let held = '';
  const rest = () => keyGuard.cleared(held.toWellFormed());
  try {
    for await (const text of texts) {
      held += text.replaceAll('\0', '');
      // The other half of a character may be in the next piece.
      const isCut = /[\ud800-\udbff]$/.test(held);
      const certain = Math.min(keyGuard.certainLength(held), isCut ? held.length - 1 : held.length);
      const said = held.slice(0, certain);
      held = held.slice(certain);
      if (said !== '') yield keyGuard.cleared(said.toWellFormed());
    }
  } catch (error) {
    if (held !== '') yield rest();
    throw error;
  }
  if (held !== '') yield rest();
}
