import type { Granted } from './scopes.ts';

/** A user as shown to others beside their messages. */
export interface SmallUser {
  id: string;
  username: string;
  displayName: string;
  avatarUrl: string | null;
  isBot: boolean;
}

/** The agent behind a bot. */
export interface ActingAgent {
  id: string;
  tokenId: string | null;
  /** A new version of it that is tried: it reads what was, and what it sends is published nowhere (contract §4). */
  rehearsalId?: string;
}

/** Who is calling: every service method takes one and decides by it. */
export interface Actor {
  userId: string;
  user: SmallUser;
  /** Id of the membership tier, which holds the capabilities. */
  tier: string;
  /** Whether signing in takes a second factor; false for bots. */
  secondFactor: boolean;
  /** The session behind an access token; null for bots and personal access tokens. */
  sessionId: string | null;
  /** The personal access token used; null for sessions and bots. */
  personalTokenId: string | null;
  /** Of the token of an app: who registered that, and answers for it. */
  appOwnerId?: string;
  /** The agent whose bot this is, and the token used, if any; null for people. */
  agent: ActingAgent | null;
  /** Of an incoming webhook: the channel that it writes in, and nothing else. */
  hookChannelId?: string;
  /** Those of the personal access token used; null for sessions and bots, which may do everything. */
  scopes: Granted;
  /** When the token expires, in ms since 1970; null: never. */
  expiresAt: number | null;
}
