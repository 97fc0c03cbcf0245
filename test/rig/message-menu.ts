import type { Locator } from 'playwright-core';

/** Chooses something that has no button of its own in the menu of a message. */
export async function chooseInMenu(message: Locator, label: string): Promise<void> {
  await message.hover();
  await message.getByRole('button', { name: 'More actions' }).click();
  await message.getByRole('menuitem', { name: label, exact: true }).click();
}
