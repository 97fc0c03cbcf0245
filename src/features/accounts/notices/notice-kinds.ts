/** What the owner of an account is mailed; the sentences are in config/mail/notices.json. */
export const noticeKinds = [
  'sign-in',
  'username-changed',
  'password-set',
  'password-changed',
  'password-removed',
  'password-by-operator',
  'provider-linked',
  'provider-unlinked',
  'token-made',
  'app-allowed',
  'factor-added',
  'factor-removed',
  'recovery-codes-made',
  'recovery-code-used',
  'passkey-added',
  'passkey-removed',
] as const;

export type NoticeKind = (typeof noticeKinds)[number];
