/** A user as others see it beside what it wrote. */
export interface SmallUser {
  id: string;
  username: string;
  displayName: string;
  avatarUrl: string | null;
  isBot: boolean;
}

/** Who asks: every service method takes one and decides by it. */
export interface Actor {
  userId: string;
  user: SmallUser;
  /** Id of the membership tier, which holds the capabilities. */
  tier: string;
  /** The session behind an access token; null for bots and personal access tokens. */
  sessionId: string | null;
  /** The personal access token it came with; null for sessions and bots. */
  personalTokenId: string | null;
  /** The agent whose bot this is, and the token it came with, if it came by one; null for people. */
  agent: { id: string; tokenId: string | null } | null;
  /** `read` may only look. */
  scope: 'full' | 'read';
  /** When the token ends, in ms since 1970; null: never. */
  expiresAt: number | null;
}
