/**
 * The one registry of error codes (contract §2): each with its HTTP status and the default sentence, used when the code
 * that throws has no better one. The API documents are generated from it.
 */
export const errorCodes = {
  VALIDATION_FAILED: [400, 'Some values of the request are invalid; see issues.'],
  MESSAGE_HELD: [202, 'This message waits for a moderator; others see it once it was approved.'],
  MALFORMED_REQUEST: [400, 'This is not a valid HTTP request; check how its lines and its body are framed.'],
  MALFORMED_JSON: [400, 'The body is not valid JSON.'],
  MALFORMED_MULTIPART: [400, 'The body is not valid multipart/form-data.'],
  INVALID_CURSOR: [400, 'The cursor is not one that this list gave out; start again without it.'],
  INVALID_INVITE_CODE: [400, 'This invite code is not valid or has been used; ask for another one.'],
  INVITE_LIMIT: [400, 'You have too many invite codes; delete some first.'],
  OWN_USER: [400, 'That is you; choose someone else.'],
  FRIEND_LIMIT: [400, 'You have too many friends and open requests; end some first.'],
  BLOCK_LIMIT: [400, 'You have blocked too many people; unblock some first.'],
  PASSWORD_RESET_TOKEN_INVALID: [400, 'This link is used up or has expired; ask for a new one.'],
  VERIFICATION_LINK_INVALID: [400, 'This link is used up or has expired; ask for a new mail.'],
  INVALID_VERIFICATION_CODE: [400, 'The code is wrong or used up; look at it again, or ask for a new one.'],
  VERIFICATION_CODE_EXPIRED: [400, 'The code has expired; ask for a new one.'],
  CURRENT_PASSWORD_WRONG: [400, 'The current password is wrong; try again, or reset it by mail.'],
  SECOND_FACTOR_INVALID: [
    400,
    'This code is wrong or was used before; take the next one of your app, or a recovery code.',
  ],
  SIGN_IN_TICKET_INVALID: [400, 'This sign-in is over; begin it again.'],
  PASSKEY_INVALID: [400, 'This passkey was not accepted; try it again, or use another way.'],
  NOT_IN_SERVER: [400, 'This user is not a member of the server; it has to join first.'],
  WRONG_CHANNEL: [400, 'This message is in another channel; name the channel that it is in.'],
  THREAD_IN_THREAD: [400, 'A thread cannot start from a message of a thread; send to that thread instead.'],
  REACTION_LIMIT: [400, 'This message has too many reactions; take one of yours back, or join one of others.'],
  MESSAGE_REFUSED: [400, 'This server does not take messages with some of these words or links.'],
  FILTER_LIMIT: [400, 'This server has reached its limit of filters; remove some first.'],
  LEVEL_LIMIT: [400, 'You have chosen this for too many channels or servers; take it back for some first.'],
  ANSWER_LIMIT: [400, 'This has as many answers as it can have.'],
  PIN_LIMIT: [400, 'This channel has too many pinned messages; unpin one first.'],
  ATTACHMENT_INVALID: [400, 'An attachment was already sent with a message; upload it again.'],
  PICTURE_INVALID: [
    400,
    'This cannot be used as a picture; send a whole PNG, JPEG, GIF, WebP or AVIF file of fewer pixels.',
  ],
  OAUTH_APP_LIMIT: [400, 'You have registered as many apps as you can; delete one first.'],
  OAUTH_REFUSED: [400, 'This app asks for something in a way that is not allowed; tell those who made it.'],
  UPLOAD_LIMIT: [400, 'You have too many unsent uploads; send or wait for some of them to expire.'],
  HANDOVER_LIMIT: [400, 'This person has too many open offers; wait until they have answered some.'],
  OWNER_CANNOT_LEAVE: [400, 'The owner cannot leave; hand the server over first.'],
  MODEL_REQUEST_REFUSED: [400, 'The model does not take this request.'],
  AGENT_LIMIT: [400, 'You have reached the limit of bots; delete one that you no longer need.'],
  EMOJI_LIMIT: [400, 'This server has as many emoji as it can have; remove one first.'],
  HOOK_LIMIT: [400, 'This channel has as many incoming webhooks as it can have; delete one first.'],
  ROLE_LIMIT: [400, 'This server has as many roles as it can have; delete one first.'],
  SERVER_LIMIT: [400, 'You have reached the limit of servers; delete one or hand it over first.'],
  OVERRIDE_LIMIT: [400, 'This channel has reached its limit of overrides; remove one first.'],
  SERVER_INVITE_LIMIT: [400, 'There are too many open invite links; delete some first.'],
  LATER_LIMIT: [400, 'You have saved as much as you can; remove some of it first.'],
  SCHEDULED_LIMIT: [400, 'You have scheduled as many messages as you can; cancel or send some first.'],
  SUBSCRIPTION_LIMIT: [400, 'You are subscribed to as many channels as you can be; unsubscribe from some first.'],
  DRAFT_LIMIT: [400, 'You have too many drafts; send or discard some first.'],
  GROUP_LIMIT: [400, 'A group has at most 11 people; open one with fewer.'],
  CHANNEL_LIMIT: [400, 'This server has reached its limit of channels; delete one first.'],
  APP_LIMIT: [400, 'This server has reached its limit of apps; delete one first.'],
  FOLDER_INTO_ITSELF: [400, 'A folder cannot be put into itself; choose another place.'],
  FOLDER_TOO_DEEP: [400, 'Folders cannot be nested this deep; choose a place further up.'],
  BUNDLE_INVALID: [400, 'This cannot be published as an app.'],
  AUTH_TOKEN_MISSING: [401, 'Sign in first: send the access token as "Authorization: Bearer <token>".'],
  ACCESS_TOKEN_INVALID: [401, 'The access token is invalid or has expired; refresh it or sign in again.'],
  SESSION_REVOKED: [401, 'This session was ended; sign in again.'],
  REFRESH_TOKEN_INVALID: [401, 'The refresh token is invalid, used or expired; sign in again.'],
  PAT_TOKEN_INVALID: [401, 'The personal access token is invalid or revoked; make a new one.'],
  PAT_TOKEN_EXPIRED: [401, 'The personal access token has expired; make a new one.'],
  HOOK_SIGNATURE_INVALID: [401, 'This is not signed with the secret of the incoming webhook.'],
  OAUTH_CLIENT_INVALID: [401, 'There is no such app, or its secret is wrong.'],
  INVALID_CREDENTIALS: [401, 'The e-mail or the password is wrong.'],
  ID_TOKEN_INVALID: [
    401,
    'The ID token is invalid, expired or not meant for this server; sign in with the provider again.',
  ],
  EMAIL_NOT_VERIFIED: [
    403,
    'Confirm your e-mail address first: open the link that was mailed to you, or sign in with a code by e-mail.',
  ],
  ACCOUNT_SUSPENDED: [403, 'This account is suspended. Ask the operator of this server.'],
  FORBIDDEN: [403, 'You may not do this.'],
  NOT_A_MEMBER: [403, 'You are not a member; join first.'],
  CONFIRMATION_REQUIRED: [
    403,
    'Confirm that it is you (POST /api/auth/confirm, by one of the methods), then try again.',
  ],
  SECOND_FACTOR_REQUIRED: [
    403,
    'This takes your second factor: complete it with your authenticator app, a passkey or a recovery code.',
  ],
  SECOND_FACTOR_SETUP_REQUIRED: [
    403,
    'Set up a second factor first: an authenticator app or a passkey, in the settings under "Signing in".',
  ],
  COMPONENT_NOT_FOR_YOU: [403, 'This is not meant for you to use.'],
  POLL_ANONYMOUS: [403, 'This poll is anonymous: nobody learns who voted.'],
  ROLE_REQUIRED: [403, 'Your role does not allow this.'],
  COMMAND_NOT_ALLOWED: [403, 'In this server only some may use this command; its admins say who.'],
  INSUFFICIENT_PAT_SCOPE: [403, 'The scope of this personal access token does not allow this.'],
  TIMED_OUT: [403, 'You are timed out in this server; until then you can only read here.'],
  SIGN_UP_REFUSED: [403, 'No account can be made from here; ask the operator of this server.'],
  BANNED: [403, 'You are banned from this server; its moderators can lift the ban.'],
  INVITE_REQUIRED: [403, 'Redeem an invite code to unlock this.'],
  INVITE_CODE_REQUIRED: [403, 'This server is private; join with its invite code.'],
  BLOCKED: [403, 'This person does not accept messages from you.'],
  USER_BLOCKED: [403, 'You have blocked this person; unblock them first.'],
  LINK_EXPIRED: [403, 'This link is invalid or has expired; ask for a new one.'],
  MCP_SESSION_NOT_FOUND: [404, 'This session is over, or is not yours; initialize a new one.'],
  ROUTE_NOT_FOUND: [404, 'There is no such address; see the API documents.'],
  USER_NOT_FOUND: [404, 'There is no such user.'],
  ACCOUNT_EXPORT_NOT_FOUND: [
    404,
    'There is no export of your account to download; GET /api/auth/me/export tells how far it is.',
  ],
  SESSION_NOT_FOUND: [404, 'You have no such session.'],
  TOKEN_NOT_FOUND: [404, 'You have no such token.'],
  TOTP_NOT_FOUND: [404, 'You have no authenticator app here.'],
  PASSKEY_NOT_FOUND: [404, 'You have no such passkey.'],
  OAUTH_ACCOUNT_NOT_FOUND: [404, 'You have no such linked account.'],
  OAUTH_APP_NOT_FOUND: [404, 'You have no such app.'],
  OAUTH_CODE_NOT_FOUND: [404, 'No device waits with this code; look at it again, or begin anew on the device.'],
  SERVER_NOT_FOUND: [404, 'There is no such server.'],
  CHANNEL_NOT_FOUND: [404, 'There is no such channel.'],
  ROLE_NOT_FOUND: [404, 'There is no such role.'],
  OVERRIDE_NOT_FOUND: [404, 'This channel has no such override.'],
  MEMBER_NOT_FOUND: [404, 'This user is not a member here.'],
  REPORT_NOT_FOUND: [404, 'There is no such report.'],
  JOIN_REQUEST_NOT_FOUND: [404, 'There is no such join request.'],
  ATTACHMENT_NOT_FOUND: [404, 'There is no such file.'],
  PICTURE_NOT_FOUND: [404, 'There is no such picture.'],
  THREAD_NOT_FOUND: [404, 'There is no such thread.'],
  MESSAGE_NOT_FOUND: [404, 'There is no such message.'],
  EMOJI_NOT_FOUND: [404, 'There is no such emoji.'],
  POLL_NOT_FOUND: [404, 'This message has no such poll or option.'],
  COMPONENT_NOT_FOUND: [404, 'This message has no such button, list or form any more.'],
  INTERACTION_NOT_FOUND: [404, 'There is no such interaction.'],
  EPHEMERAL_NOT_FOUND: [404, 'You have no such reply; it may have been dismissed.'],
  STREAM_NOT_FOUND: [404, 'There is no such reply in progress; it may have ended.'],
  INVITE_CODE_NOT_FOUND: [404, 'You have no such invite code.'],
  SERVER_INVITE_NOT_FOUND: [404, 'There is no such invite link, or it is not yours.'],
  FRIENDSHIP_NOT_FOUND: [404, 'There is no such friendship or request.'],
  MODEL_NOT_FOUND: [404, 'There is no such model, or you may not use it; GET /api/ai/v1/models lists yours.'],
  AGENT_NOT_FOUND: [404, 'There is no such agent.'],
  COMMAND_NOT_FOUND: [404, 'This bot has no such command.'],
  HANDOVER_NOT_FOUND: [404, 'There is no such offer; it may have been answered, withdrawn or expired.'],
  HOOK_NOT_FOUND: [404, 'There is no such incoming webhook, or it has another address by now.'],
  REHEARSAL_NOT_FOUND: [404, 'This agent has no such rehearsal.'],
  WEBHOOK_NOT_FOUND: [404, 'This agent has no webhook; register one with PUT.'],
  FILTER_NOT_FOUND: [404, 'There is no such entry among the filters.'],
  LATER_NOT_FOUND: [404, 'You have saved no such thing.'],
  SCHEDULED_NOT_FOUND: [404, 'You have no such scheduled message; it may have been sent.'],
  HELD_NOT_FOUND: [404, 'There is no such held message.'],
  BAN_NOT_FOUND: [404, 'This user is not banned here.'],
  POLICY_NOT_FOUND: [404, 'There is no such policy.'],
  NOTIFICATION_NOT_FOUND: [404, 'You have no such notification.'],
  PUSH_SUBSCRIPTION_NOT_FOUND: [404, 'Nothing is pushed to this device; subscribe it first.'],
  FOLDER_NOT_FOUND: [404, 'There is no such folder in this workspace.'],
  FILE_NOT_FOUND: [404, 'There is no such file in this workspace.'],
  NODE_NOT_FOUND: [404, 'There is no such folder or file in this workspace.'],
  APP_NOT_FOUND: [404, 'There is no such app.'],
  APP_FILE_NOT_FOUND: [404, 'There is nothing at this address in the app.'],
  UNKNOWN_EVENT: [404, 'There is no such event; see the API documents.'],
  METHOD_NOT_ALLOWED: [405, 'This address does not support this method; the header Allow lists those that it does.'],
  REQUEST_TIMEOUT: [408, 'The request did not arrive in time; send it again.'],
  EMAIL_TAKEN: [409, 'This mailbox has an account already, perhaps under another spelling; sign in to that one.'],
  EMAIL_ALREADY_VERIFIED: [409, 'Your e-mail address is confirmed already.'],
  NO_EMAIL: [409, 'Your account has no e-mail address to confirm.'],
  USERNAME_TAKEN: [409, 'This username is taken; choose another one.'],
  SLUG_TAKEN: [409, 'This slug is taken; choose another one.'],
  ALREADY_MEMBER: [409, 'You are a member already.'],
  ALREADY_FRIENDS: [409, 'You are friends already.'],
  FRIEND_REQUEST_EXISTS: [409, 'You have asked already; wait for the answer.'],
  FRIEND_REQUEST_REJECTED: [409, 'Your request was turned down; ask again after a day.'],
  FRIEND_REQUEST_CLOSED: [409, 'This request is no longer open.'],
  OAUTH_ACCOUNT_TAKEN: [409, 'That account signs in someone else here; unlink it there first.'],
  LAST_SIGN_IN_METHOD: [409, 'This is the last way to sign in to your account; set a password first.'],
  TOTP_ACTIVE: [409, 'You have an authenticator app already; remove it first.'],
  PASSKEY_LIMIT: [409, 'You have reached the limit of passkeys; remove one first.'],
  TOKEN_LIMIT: [409, 'You have reached the limit of tokens; delete one first.'],
  ACCESS_CHANGED: [409, 'What you may do here changed while this was under way; nothing was done. Try again.'],
  AGENT_STOPPED: [409, 'This bot is stopped; its owner can start it again.'],
  BOT_ABSENT: [409, 'This bot is no longer here, or it is switched off here.'],
  COMPONENT_DISABLED: [409, 'This cannot be used now.'],
  COMPONENT_USED: [409, 'This was used already.'],
  INTERACTION_ENDED: [409, 'This can no longer be answered.'],
  REPORT_DECIDED: [409, 'This was decided already.'],
  JOIN_REQUEST_DECIDED: [409, 'This join request was decided already.'],
  SCHEDULED_SENDING: [409, 'This message is being sent.'],
  HEAD_MOVED: [409, 'Someone has spoken here since `ifHead`; read what is new, `head` says up to where.'],
  DRAFT_CHANGED: [409, 'This draft was changed elsewhere; `draft` is what it is now.'],
  EMOJI_NAME_TAKEN: [409, 'This server has an emoji of that name; choose another one.'],
  POLL_CLOSED: [409, 'This poll is closed.'],
  HELD_DECIDED: [409, 'This was decided or withdrawn already.'],
  HELD_NOT_POSTABLE: [
    409,
    'Its author may no longer post this there, or what it refers to has changed; reject it, or wait.',
  ],
  THREAD_ARCHIVED: [409, 'This thread is archived; nothing can be sent to it.'],
  REHEARSAL_RUNNING: [409, 'This bot has a rehearsal already; end that one first.'],
  REHEARSAL_FULL: [409, 'This rehearsal has as many messages as it can keep.'],
  STREAM_BROKEN: [409, 'The first pieces of this reply are no longer available; send the whole as `content`.'],
  STREAM_STOPPED: [409, 'Someone stopped this reply; it has ended with the text so far.'],
  CHANNEL_ARCHIVED: [409, 'This channel is archived; nothing can be sent to it.'],
  NAME_TAKEN: [409, 'The folder already has something of this name; choose another one.'],
  FILE_CHANGED: [412, 'The file has changed since you read it; read it again and repeat your change.'],
  QUOTA_EXCEEDED: [413, 'The workspace is full; delete files first.'],
  BODY_TOO_LARGE: [413, 'The body is too large; send less at once.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Send the body as application/json.'],
  UNSAFE_URL: [422, 'This address may not be called from here; use a public https address.'],
  HEADERS_TOO_LARGE: [431, 'The headers of the request, with its address, are too large.'],
  RATE_LIMITED: [429, 'Too many requests; wait and try again.'],
  SLOW_MODE: [429, 'This channel is in slow mode; wait until you may write again.'],
  USERNAME_CHANGE_LIMIT: [
    429,
    'You have changed your username too often of late; wait, or go back to one that is still kept for you.',
  ],
  HELD_LIMIT: [429, 'Too many of your messages wait for a moderator here; wait until some were decided.'],
  STREAM_LIMIT: [429, 'This bot has reached the limit of concurrent replies; finish some first.'],
  BOT_LOOP: [429, 'Bots only answer each other here; they go on when a person has spoken.'],
  INTERNAL_ERROR: [500, 'Something went wrong on our side; try again, and tell the operator the request id.'],
  PUSH_OFF: [501, 'This server sends no pushes.'],
  PROVIDER_NOT_CONFIGURED: [501, 'This server is not set up for this identity provider; use another way to sign in.'],
  PROVIDER_UNAVAILABLE: [503, 'The identity provider does not answer just now; try again in a moment.'],
  PICTURE_UNAVAILABLE: [502, 'There is no usable picture at this address, or its host does not answer.'],
  APP_PROXY_FAILED: [502, 'The app behind this address does not respond properly.'],
  APP_PROXY_TIMEOUT: [504, 'The app behind this address did not answer in time.'],
  MODEL_PROXY_UPSTREAM_ERROR: [502, 'The provider of the model failed; try again in a moment.'],
  MODEL_PROXY_NOT_CONFIGURED: [503, 'There is no model here; the operator can configure one with MODEL_PROXY_URL.'],
  MODEL_PROXY_TIMEOUT: [504, 'The provider of the model did not answer in time; try again.'],
  DATABASE_UNAVAILABLE: [
    503,
    'The database cannot be reached just now; try again, with the same nonce or Idempotency-Key, so that nothing is done twice.',
  ],
  SERVER_BUSY: [503, 'The server is busy just now; try again in a moment.'],
} as const satisfies Record<string, readonly [status: number, sentence: string]>;

export type ErrorCode = keyof typeof errorCodes;

/** One problem in a request: where, what, and zod's code for it. */
export interface Issue {
  path: string;
  message: string;
  code: string;
}

interface ErrorDetails {
  /** Replaces the registry's sentence. */
  message?: string;
  issues?: Issue[];
  /** Seconds; also sent as Retry-After, rounded up. */
  retryAfter?: number;
  /** Further fields of the body, such as `capability`. */
  extra?: Record<string, unknown>;
  /** Further headers of an HTTP answer. */
  headers?: Record<string, string>;
  cause?: unknown;
}

/** An error that is reported to the caller, over REST and sockets alike. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly issues: Issue[] | undefined;
  readonly retryAfter: number | undefined;
  readonly extra: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    const [status, sentence] = errorCodes[code];
    super(details.message ?? sentence, { cause: details.cause });
    this.code = code;
    this.status = status;
    this.issues = details.issues;
    this.retryAfter = details.retryAfter ?? (status === 503 ? 1 : undefined);
    this.extra = details.extra ?? {};
    this.headers = details.headers ?? {};
  }

  /** The body of contract §2, the same for an HTTP answer and a socket's ack. */
  body(requestId: string | undefined): ErrorBody {
    return {
      ok: false,
      error: this.message,
      code: this.code,
      ...(requestId ? { requestId } : {}),
      ...(this.issues ? { issues: this.issues } : {}),
      ...(this.retryAfter !== undefined ? { retryAfter: this.retryAfter } : {}),
      ...this.extra,
    };
  }
}

/** Unforeseen errors are reported as INTERNAL_ERROR, without internal details. */
export function asAppError(error: unknown): AppError {
  return error instanceof AppError ? error : new AppError('INTERNAL_ERROR', { cause: error });
}

const isMissing = (error: unknown): boolean => error instanceof AppError && error.status === 404;

/** For objects that may be missing, or hidden from the actor: `find(id).catch(ifMissing)`. */
export function ifMissing(error: unknown): undefined {
  if (isMissing(error)) return undefined;
  throw error;
}

/** For objects that count as missing when another one is: `channel(id).catch(missingAs('THREAD_NOT_FOUND'))`. */
export const missingAs =
  (code: ErrorCode) =>
  (error: unknown): never => {
    throw isMissing(error) ? new AppError(code) : error;
  };

export interface ErrorBody {
  ok: false;
  error: string;
  code: ErrorCode;
  requestId?: string;
  issues?: Issue[];
  retryAfter?: number;
  [key: string]: unknown;
}
