/** Who someone is at an identity provider. */
export interface ProviderIdentity {
  provider: string;
  /** The provider's own id of the account, which never changes. */
  subject: string;
  /** Only an address that the provider vouches for. */
  verifiedEmail: string | null;
  /** As the provider has it, verified or not: for show only. */
  email: string | null;
  displayName: string | null;
  /** What a username may be made from. */
  suggestion: string;
}

/** What one sign-in must bring back; made anew for each and kept by the browser that began it. */
export interface SignInChecks {
  state: string;
  nonce: string;
  codeVerifier: string;
}

export interface Provider {
  readonly name: string;
  /** Where to send the browser. @throws AppError PROVIDER_UNAVAILABLE */
  authorizationUrl(checks: SignInChecks, redirectUri: string): Promise<URL>;
  /**
   * Who came back.
   * @param callback the address that the browser was sent to, with its query
   * @throws Error when anything about the answer is not as it must be
   */
  identify(callback: URL, checks: SignInChecks): Promise<ProviderIdentity>;
  /** Who an ID token is about; null where the provider gives none out. */
  readonly idTokens: IdTokenVerifier | null;
}

export interface IdTokenVerifier {
  /**
   * @param nonce what it must contain; null: not looked at
   * @throws AppError ID_TOKEN_INVALID, PROVIDER_UNAVAILABLE
   */
  verify(idToken: string, nonce: string | null): Promise<ProviderIdentity>;
}

/** An e-mail in the form in which accounts have it. */
export const normalizedEmail = (email: string): string => email.trim().toLowerCase();
