# The public names, each with its home: type checkers read them here, and `import querent` loads them from here on first
# use. By folder, as the rooms import each other: that is how a type checker finds them in a clone.

from ..answers.answer import Answer as Answer
from ..answers.answer import Clarification as Clarification
from ..answers.answer import Option as Option
from ..data.databases.database import Database as Database
from ..data.domains.loading import load_domain as load_domain
from ..data.domains.schema_places import database_place as database_place
from ..data.domains.schema_places import open_schema as open_schema
from ..data.errors import DatabaseError as DatabaseError
from ..data.errors import InputError as InputError
from ..data.errors import QuerentError as QuerentError
from ..dialogue.connection import Connection as Connection
from ..dialogue.connection import connect as connect
from ..dialogue.conversation import Conversation as Conversation
from ..dialogue.llm_connection import connect_llm as connect_llm
from ..dialogue.predict import predict as predict
from ..dialogue.questions import read_questions as read_questions
from ..evaluation.scored_run import train as train
from ..grammar import Access as Access
from ..llm.backends.load import load_backend as load_backend
from ..llm.correction_log import LlmAnswer as LlmAnswer
from ..llm.options import LlmOptions as LlmOptions
from ..llm.prompts.templates import shipped_prompts as shipped_prompts
from ..meaning.description.files import read_description as read_description
from ..meaning.profiling import open_profile as open_profile
from ..parser.answering.asking import AskOptions as AskOptions
from ..parser.answering.asking import ConnectOptions as ConnectOptions
from ..parser.network.saved import network_of as network_of
from ..parser.settings.options import TrainConfig as TrainConfig
from ..parser.settings.run_folder import RunFolder as RunFolder
from ..serving.processes import serve as serve
from ..validation import Validation as Validation
from ..validation import Validator as Validator
from ..validation import validate as validate

__version__: str
