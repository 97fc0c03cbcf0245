/** Answers whose bodies nobody reads: an answer that is only dropped is cancelled whenever memory is cleaned up. */
export class Unread {
  private answers: { answer: Response; leaving: AbortController }[] = [];

  /** Asks for something, and keeps the answer open where it is a success. */
  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const leaving = new AbortController();
    const answer = await fetch(url, { ...init, signal: leaving.signal });
    if (answer.ok) this.answers.push({ answer, leaving });
    return answer;
  }

  /** Goes away from all of them. */
  leave(): void {
    for (const { leaving } of this.answers.splice(0)) leaving.abort();
  }
}
