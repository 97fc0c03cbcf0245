/** A person's identity at an identity provider. */
export interface ProviderIdentity {
  provider: string;
  /** The provider's own id of the account; it never changes. */
  subject: string;
  /** Only an address that the provider has verified. */
  verifiedEmail: string | null;
  /** As the provider has it, verified or not: for display only. */
  email: string | null;
  displayName: string | null;
  /** What a username may be generated from. */
  suggestion: string;
}

/** What the callback of one sign-in must match; generated for each and kept by the browser that started it. */
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
   * The identity that a callback proves.
   * @param callback the address that the browser was sent to, with its query
   * @throws Error if anything in the response is invalid
   */
  identify(callback: URL, checks: SignInChecks): Promise<ProviderIdentity>;
  /** Verifies an ID token; null if the provider issues none. */
  readonly idTokens: IdTokenVerifier | null;
}

export interface IdTokenVerifier {
  /**
   * @param nonce the expected one; null: not checked
   * @throws AppError ID_TOKEN_INVALID, PROVIDER_UNAVAILABLE
   */
  verify(idToken: string, nonce: string | null): Promise<ProviderIdentity>;
}

/** An e-mail in the form in which accounts store it. */
export const normalizedEmail = (email: string): string => email.trim().toLowerCase();
