import { signal } from '@preact/signals';

interface Question {
  /** How this account can confirm: `password`, `code`. */
  methods: readonly string[];
  answer(isConfirmed: boolean): void;
}

/** Asks the user, on behalf of a call that needs it, to show that it is them. */
export class Confirmation {
  readonly question = signal<Question | null>(null);
  private asking: Promise<boolean> | null = null;

  /** Calls that wait at the same time share one question. @returns whether the user has confirmed */
  readonly ask = (methods: readonly string[]): Promise<boolean> => {
    this.asking ??= new Promise<boolean>((resolve) => {
      const answer = (isConfirmed: boolean) => {
        this.asking = null;
        this.question.value = null;
        resolve(isConfirmed);
      };
      this.question.value = { methods, answer };
    });
    return this.asking;
  };
}
