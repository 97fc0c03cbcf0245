import { z } from 'zod';
import type { Audited } from './audit-action.ts';
import type { ErrorCode } from './error-codes.ts';
import type { AppError } from './errors.ts';
import type { Area, Group } from './scopes.ts';

/** The form of a path parameter; a value that does not fit is answered as not existing (contract §1). */
export interface Param {
  missing: ErrorCode;
  /** `uuid`: only ids; `slug`: ids or slugs; `text`: anything; `path`: the rest of the path, which may be empty. */
  form: 'uuid' | 'slug' | 'text' | 'path';
  description: string;
}

export const uuidParam = (missing: ErrorCode, description: string): Param => ({ missing, form: 'uuid', description });
export const slugParam = (missing: ErrorCode, description: string): Param => ({ missing, form: 'slug', description });
export const textParam = (missing: ErrorCode, description: string): Param => ({ missing, form: 'text', description });
export const pathParam = (missing: ErrorCode, description: string): Param => ({ missing, form: 'path', description });

/**
 * Whether a caller needs a token: `required`; `optional`, but an invalid one is refused; `ignore-invalid`, an invalid
 * one counts as none; `none`, tokens are ignored.
 */
export type Auth = 'required' | 'optional' | 'ignore-invalid' | 'none';

/** The `answer` of calls that return bytes. */
export const rawAnswer = z.string().meta({ format: 'binary' });

/** The request headers for ranges and revalidation (RFC 9110). */
export const contentHeaders = z.object({
  range: z.string().optional().describe('One range of bytes; several are answered with all of it.'),
  'if-range': z.string().optional(),
  'if-none-match': z.string().optional(),
});

/** The request header that lists the encodings of a file that the client accepts. */
export const assetHeaders = z.object({ 'accept-encoding': z.string().optional() });

/** The format of error responses, for errors that a call throws and refusals before it is handled. */
export interface ErrorForm {
  /** Below this path it also applies to unknown routes. */
  base: string;
  schema(codes: ErrorCode[]): z.ZodType;
  body(error: AppError): object;
}

/** A call over REST as the contract declares it. */
export interface CallSpec {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** Further methods that it answers, which OpenAPI does not have. */
  otherMethods?: readonly string[];
  /** With `:name` for parameters, and at its end `*name` for the rest of the path, which may be empty. */
  path: string;
  summary: string;
  /** `required` by default. */
  auth?: Auth;
  params?: Readonly<Record<string, Param>>;
  query?: z.ZodType;
  body?: z.ZodType;
  /** Makes the body `multipart/form-data` with a field `file`, which this describes; `body` are the text fields beside it. */
  file?: string;
  /** Request headers that it uses, by their lower-case names. */
  headers?: z.ZodType;
  /**
   * It serves user content, not this site's own: the separate host for apps (`APPS_URL`) serves nothing else, and pages of
   * any origin may request it.
   */
  userContent?: boolean;
  /** Its body may also be text, which the handler reads as it arrives, in place of `body`; it may take as long as an upload. */
  orText?: true;
  /** The media type of a raw response. */
  produces?: string;
  /** A caller that asks for it in the body gets the response as server-sent events. */
  streams?: true;
  /** 200 unless it creates a record (contract §1). */
  status?: 200 | 201 | 202 | 302;
  /** The redirect statuses it may answer with instead. */
  redirects?: readonly (301 | 302 | 307 | 308)[];
  /** A refusal that it answers with a page for people instead. */
  refusalPage?: 404;
  /** The record to create may exist already: then it answers 200 with the existing one. */
  mayExist?: true;
  /** What is asked for may have to wait for someone's decision: then it answers 202. */
  mayWait?: true;
  /** The response is a bare list; the header X-Has-More shows whether there is more. */
  paged?: true;
  answer: z.ZodType;
  /** Its own error codes, besides those of every call. */
  errors?: readonly ErrorCode[];
  /** An error format other than that of contract §2, for clients that were written for another service. */
  errorForm?: ErrorForm;
  /**
   * The rate limit that counts it besides that of its group, which counts every request (contract §3): per user, or per
   * client address if nobody is signed in. Unless one is named, changes of a signed-in user count against the limit for
   * changes, since most of them are broadcast, and those of others against one of their own. Null: only the group's,
   * because it ends something that someone else may be abusing, carries calls that count by themselves, or counts by who
   * calls, which only its handler learns.
   */
  limit?: CallLimit | null;
  /**
   * `key`, the default: repeats of an Idempotency-Key are answered from the stored response; `never`: repeating
   * it is harmless, and the response must not be stored.
   */
  repeats?: 'key' | 'never';
  /** Response fields that are shown only once: they are not stored, and null when an Idempotency-Key is repeated. */
  shownOnce?: readonly string[];
  /** Accepts JSON under any content type, and forms, for `sendBeacon`; an invalid body counts as empty. */
  anyBody?: boolean;
  /** It takes a session whose user gave a password or code in the last minutes (contract §3). */
  confirmed?: true;
  /** Refusals of its token say where clients learn how to get one (RFC 9728). */
  challenged?: true;
  /** For those too who have not yet set up the second factor that the operator requires (contract §3). */
  unprotected?: true;
  /** The areas that a personal token must be for, if they are not that of its group (contract §3). */
  areas?: readonly Area[];
  /** It changes something, but not in rehearsals of bots, where it is answered as if it had (contract §4). */
  rehearsed?: true;
  /** Clients send it by themselves: that it comes does not show that someone is there (contract §9, Attention). */
  byItself?: true;
  /**
   * The entries of the audit log that it writes, or why it writes none. Each call has it that changes something and takes a
   * permission, or that is an operator's (contract §5, Audit log).
   */
  audit?: Audited;
}

/** The limits that a call may name; the configuration sets their values. */
type CallLimit =
  | 'auth'
  | 'emailStart'
  | 'resetStart'
  | 'refresh'
  | 'oauth'
  | 'oauthRegistrations'
  | 'redeem'
  | 'messages'
  | 'deltas'
  | 'uploads'
  | 'pictures'
  | 'search'
  | 'auditExport'
  | 'discover'
  | 'reports'
  | 'webhooks'
  | 'hookPosts';

/** A call with the properties of its group. */
export type Call<C extends CallSpec = CallSpec> = C & {
  /** The group; the API documents are ordered by it. */
  tag: Group;
};

/** Declares the calls of a group, each with a name of its own. */
export function calls<const C extends Record<string, CallSpec>>(tag: Group, declared: C): CallsOf<C> {
  const named = Object.entries(declared).map(([name, call]) => [name, { ...call, tag }]);
  return Object.fromEntries(named);
}

type CallsOf<C extends Record<string, CallSpec>> = { [Name in keyof C]: Call<C[Name]> };

/** A socket's events on one lane are handled in order of arrival. */
export interface LaneSpec {
  /** The payload field that names the event's subject, unless the payload is a bare id; null: always the same. */
  by: string | null;
  /** Whether it may start once the previous event allows it; otherwise once all previous events are done. */
  beside?: boolean;
}

/** An event that clients send, as the contract declares it. */
export interface ClientEventSpec {
  summary: string;
  payload: z.ZodType;
  /** The ack's content beside `ok: true`. */
  ack: z.ZodObject;
  errors?: readonly ErrorCode[];
  /** The rate limit that counts it (contract §3). */
  limit: 'messages' | 'joins' | 'events' | 'deltas';
  /** Without a lane it never waits for earlier events. */
  lane?: LaneSpec;
  /** Whether tokens that may only read may send it. */
  readOnly?: boolean;
  /** As of calls. What is `readOnly` is sent by clients themselves too. */
  byItself?: true;
  /** As of calls. */
  areas?: readonly Area[];
}

export type ClientEvent<E extends ClientEventSpec = ClientEventSpec> = E & {
  tag: Group;
};

/** Declares the events of a group that clients send, by their names on the wire. */
export function clientEvents<const E extends Record<string, ClientEventSpec>>(
  tag: Group,
  declared: E,
): { [Name in keyof E]: ClientEvent<E[Name]> } {
  const named = Object.entries(declared).map(([name, event]) => [name, { ...event, tag }]);
  return Object.fromEntries(named);
}
