import type { Actor } from '../../contract/actor.ts';
import type { Call } from '../../contract/call.ts';

/** What a call is made with: its path parameters, and the fields of its query and body. */
export interface CallInputs {
  params: Record<string, string>;
  fields: Record<string, unknown>;
}

/** The answer to a call. */
export interface CallAnswer {
  body: unknown;
  /** Of lists in pages: whether there is more. */
  hasMore: boolean | undefined;
}

/** Whoever sent a message, with the way to make calls for them: these check, limit and answer as over REST. */
export interface McpCaller {
  actor: Actor;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  /** @throws AppError as the call by itself would answer */
  call(call: Call, inputs?: Partial<CallInputs>): Promise<CallAnswer>;
}
