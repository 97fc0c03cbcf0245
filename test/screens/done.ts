import type { Answer, Loose } from '../world/person.ts';

/** What a step of furnishing answers; it has to work. */
export async function done(answer: Promise<Answer>): Promise<Loose> {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`not furnished: ${JSON.stringify(body)}`);
  return body;
}
