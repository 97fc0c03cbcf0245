import { Bot } from 'parley/client';
import { FileStore } from 'parley/client/file-store';

// The token is shown when the bot is made: POST /api/agents { name }.
const {
  PARLEY_URL: url = 'http://localhost:3000',
  PARLEY_TOKEN: token = '',
  PARLEY_STORE = 'positions.json',
} = process.env;

// The file remembers how far the bot got in each channel: what happens while it is stopped, it hears when it is back.
const bot = new Bot({ url, token, store: new FileStore(PARLEY_STORE) });

// Someone names it, or writes to it alone.
bot.on('mention', (turn) => turn.reply(`Hello, ${turn.message.author.displayName}! Try /order.`));

// Clients ask for the options, and the server checks them and who may use the command.
const order = [
  { type: 'text', name: 'what', description: 'What to order', required: true },
  { type: 'number', name: 'count', description: 'How many', min: 1, max: 50 },
] as const;
bot.command('order', { description: 'Order for everyone', options: order }, async ({ user, options, reply }) => {
  const { what, count = 1 } = options; // a string, and a number if there is one
  await reply({
    content: `${user.displayName} orders ${count} × ${what}.`,
    components: {
      items: [
        { type: 'button', id: 'confirm', label: 'Confirm', style: 'primary', uses: 'once' },
        { type: 'button', id: 'why', label: 'Ask why' },
      ],
    },
  });
});

// The message loses its buttons, and says what became of it.
bot.button('confirm', (turn) =>
  turn.update({ content: `${turn.user.displayName} has confirmed it.`, components: null }),
);

// Asks by a form; what was filled in goes to `bot.form` with the name of the button.
bot.button('why', (turn) =>
  turn.form({ title: 'Ask why', fields: [{ type: 'text', id: 'question', label: 'Your question' }] }),
);
bot.form('why', async (turn) => {
  await turn.reply(`${turn.user.displayName} asks: ${turn.values.question}`);
  await turn.ephemeral('Everyone can see your question now.'); // this, nobody else can
});

bot.on('missed', ({ channelId }) => console.error(`Away for too long: some of ${channelId} was lost.`));
bot.on('error', (error) => console.error(error));

await bot.start();
console.log('The bot is there.');
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void bot.stop());
