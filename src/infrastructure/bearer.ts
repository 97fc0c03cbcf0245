/** The token of an `Authorization: Bearer …` header, if there is one. */
export function bearerToken(authorization: string | undefined): string | null {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? null;
}
