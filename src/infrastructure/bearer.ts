/** The token of a header `Authorization: Bearer …`, if there is one. */
export function bearerToken(authorization: string | undefined): string | null {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? null;
}
