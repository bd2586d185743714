import { defineCommand } from '../../command.ts';
import { argument } from '../../declare.ts';
import { oneOf } from '../../values.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const completion = defineCommand({
  path: 'completion',
  summary: 'Print a script that lets a shell complete commands and options.',
  details:
    'bash and zsh: put eval "$(sandlot completion bash)", or zsh, into the start-up file. fish: sandlot completion fish > ~/.config/fish/completions/sandlot.fish',
  args: { shell: argument(SHELLS.join(', '), oneOf(SHELLS)) },
  examples: ['sandlot completion bash', 'sandlot completion zsh', 'sandlot completion fish'],
  async run({ args, commands, out }) {
    const { completionScript } = await import('../../completion/script.ts');
    const script = completionScript(args.shell, commands);
    out.result({ shell: args.shell, script }, (document) => document.script);
  },
});
