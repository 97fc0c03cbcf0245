import type { AccountCalls } from './calls/accounts.ts';
import type { AgentCalls } from './calls/agents.ts';
import type { CommunityCalls } from './calls/communities.ts';
import type { MessageCalls } from './calls/messages.ts';
import type { PeopleCalls } from './calls/people.ts';
import type { WorkspaceCalls } from './calls/workspace.ts';

/** The REST methods by their names in the API documents. Types only: no server code gets into a bundle. */
export interface Rest extends AccountCalls, AgentCalls, PeopleCalls, CommunityCalls, MessageCalls, WorkspaceCalls {}

export type RestCall = keyof Rest;

/** The names of a path's parameters, from its text. */
type ParamNames<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? Name | ParamNames<Tail>
    : Rest
  : never;

type BodyOf<C extends RestCall> = Rest[C] extends { body: infer B } ? { body: B } : unknown;
type FormOf<C extends RestCall> = Rest[C] extends { form: infer F } ? { form: F } : unknown;
type HeadersOf<C extends RestCall> = Rest[C] extends { headers: infer H } ? { headers?: H } : unknown;
type QueryOf<C extends RestCall> = Rest[C] extends { query: infer Q } ? { query?: Q } : unknown;

/** A call's parameters by their names, with `body` (or `form`), `query` and `headers` beside them. */
export type RestInput<C extends RestCall> = Record<ParamNames<C>, string> &
  BodyOf<C> &
  FormOf<C> &
  QueryOf<C> &
  HeadersOf<C>;
export type RestAnswer<C extends RestCall> = Rest[C]['answer'];

/** The input is optional if none of it is required. */
export type RestArguments<C extends RestCall> =
  Partial<RestInput<C>> extends RestInput<C> ? [input?: RestInput<C>] : [input: RestInput<C>];
