"""Calls that touch the world outside the trace: output, logs, files, clocks and random numbers."""

from __future__ import annotations

_LEVELS = "debug info warning warn error exception critical fatal log"
_CHOICES = (
    "betavariate binomialvariate choice choices expovariate gammavariate gauss getrandbits "
    "lognormvariate normalvariate paretovariate randbytes randint random randrange sample seed "
    "shuffle triangular uniform vonmisesvariate weibullvariate"
)
_NUMPY_DRAWS = (
    "beta binomial bytes chisquare choice dirichlet exponential f gamma geometric gumbel "
    "hypergeometric laplace logistic lognormal logseries multinomial multivariate_normal "
    "negative_binomial noncentral_chisquare noncentral_f normal pareto permutation poisson power "
    "rand randint randn random random_integers random_sample ranf rayleigh sample seed shuffle "
    "standard_cauchy standard_exponential standard_gamma standard_normal standard_t tomaxint "
    "triangular uniform vonmises wald weibull zipf"
)
_REQUESTS = "get post put delete head patch options request"

_CALLS: dict[str, dict[str, str]] = {
    "print": {
        "builtins": "print",
        "pprint": "pprint pp",
        "sys.stdout": "write writelines",
        "sys.stderr": "write writelines",
        "sys.__stdout__": "write",
        "sys.__stderr__": "write",
        "rich": "print print_json inspect",
        "rich.pretty": "pprint",
        "click": "echo secho",
        "typer": "echo secho",
        "icecream": "ic",
        "IPython.display": "display",
        "traceback": "print_exc print_exception print_stack print_tb",
    },
    "log": {
        "logging": _LEVELS,
        "absl.logging": f"{_LEVELS} log_every_n log_every_n_seconds log_first_n log_if vlog",
        "loguru.logger": f"{_LEVELS} trace success",
        "warnings": "warn warn_explicit",
        "wandb": "log log_artifact alert",
        "mlflow": "log_artifact log_artifacts log_dict log_figure log_image log_input log_metric "
        "log_metrics log_model log_param log_params log_table log_text set_tag set_tags",
        "tensorflow.summary": "audio histogram image scalar text write",
        "comet_ml": "log_metric log_metrics",
        "swanlab": "log",
        "trackio": "log",
        "aim": "track",
        "tqdm.tqdm": "write",
        "tqdm.auto.tqdm": "write",
        "tqdm.notebook.tqdm": "write",
    },
    "io": {
        "builtins": "input open",
        "io": "open",
        "codecs": "open",
        "gzip": "open",
        "bz2": "open",
        "lzma": "open",
        "zipfile": "ZipFile",
        "tarfile": "open",
        "fsspec": "open",
        "getpass": "getpass",
        "tempfile": "NamedTemporaryFile SpooledTemporaryFile TemporaryDirectory TemporaryFile "
        "mkdtemp mkstemp mktemp",
        "os": "abort chmod chown close fsync kill link listdir makedirs mkdir open popen putenv "
        "read remove removedirs rename renames replace rmdir scandir symlink system truncate "
        "unlink utime walk write",
        "shutil": "chown copy copy2 copyfile copyfileobj copymode copystat copytree "
        "make_archive move rmtree unpack_archive",
        "subprocess": "Popen call check_call check_output getoutput getstatusoutput run",
        "socket": "create_connection create_server socket socketpair",
        "requests": _REQUESTS,
        "httpx": f"{_REQUESTS} stream",
        "urllib.request": "urlopen urlretrieve",
        "urllib3": "request",
        "json": "dump dumps load",
        "pickle": "dump dumps load",
        "cloudpickle": "dump dumps load",
        "dill": "dump dumps load",
        "joblib": "dump load",
        "marshal": "dump dumps load",
        "yaml": "dump dump_all safe_dump",
        "msgpack": "pack packb",
        "numpy": "fromfile genfromtxt load loadtxt memmap save savetxt savez savez_compressed",
        "jax.numpy": "load save savez",
        "pandas": "read_csv read_excel read_feather read_hdf read_json read_parquet read_pickle "
        "read_sql read_table",
        "h5py": "File",
        "sqlite3": "connect",
        "imageio": "imread imwrite mimsave",
        "cv2": "imread imshow imwrite",
        "PIL.Image": "open",
        "matplotlib.pyplot": "imsave imread savefig show",
        "scipy.io": "loadmat savemat",
        "torch": "load save",
        "tensorflow.io.gfile": "GFile copy exists listdir makedirs mkdir remove rename rmtree",
        "flax.training.checkpoints": "restore_checkpoint save_checkpoint "
        "save_checkpoint_multiprocess",
    },
    "clock": {
        "time": "asctime clock clock_gettime clock_gettime_ns ctime gmtime localtime monotonic "
        "monotonic_ns perf_counter perf_counter_ns process_time process_time_ns sleep strftime "
        "thread_time thread_time_ns time time_ns",
        "datetime.datetime": "now today utcnow",
        "datetime.date": "today",
        "timeit": "default_timer repeat timeit",
        "uuid": "uuid1 uuid6 uuid7",
        "os": "times",
    },
    "rng": {
        "random": _CHOICES,
        "numpy.random": _NUMPY_DRAWS,
        "secrets": "choice randbelow randbits token_bytes token_hex token_urlsafe",
        "os": "getrandom urandom",
        "uuid": "uuid4",
    },
}
_EFFECT_OF = {
    f"{module}.{name}": kind
    for kind, modules in _CALLS.items()
    for module, names in modules.items()
    for name in names.split()
}

_NEEDS_TRACED = frozenset(
    f"{module}.{name}"
    for module, names in {
        "json": "dumps",
        "pickle": "dumps",
        "cloudpickle": "dumps",
        "dill": "dumps",
        "marshal": "dumps",
        "msgpack": "packb",
        "yaml": "dump dump_all safe_dump",
    }.items()
    for name in names.split()
)

_CONSTRUCTORS: dict[str, dict[str, str]] = {
    "logger": {
        "logging": "Logger LoggerAdapter RootLogger getLogger",
        "structlog": "get_logger getLogger",
        "structlog.stdlib": "get_logger",
        "absl.logging": "get_absl_logger",
        "loguru.logger": "bind opt patch",
    },
    "rng": {
        "numpy.random": "Generator RandomState default_rng",
        "random": "Random SystemRandom",
        "secrets": "SystemRandom",
    },
    "path": {
        "pathlib": "Path PosixPath WindowsPath",
        "pathlib.Path": "cwd home",
        "etils.epath": "Path",
        "epath": "Path",
        "upath": "UPath",
    },
    "writer": {
        "torch.utils.tensorboard": "SummaryWriter",
        "torch.utils.tensorboard.writer": "SummaryWriter",
        "tensorboardX": "SummaryWriter",
        "flax.metrics.tensorboard": "SummaryWriter",
        "clu.metric_writers": "AsyncMultiWriter AsyncWriter LoggingWriter MultiWriter "
        "SummaryWriter create_default_writer",
    },
    "run": {
        "wandb": "init",
        "mlflow": "MlflowClient",
        "mlflow.tracking": "MlflowClient",
        "neptune": "init_run",
        "swanlab": "init",
        "comet_ml": "Experiment start",
        "aim": "Run",
    },
    "progress": {
        "tqdm": "tqdm trange",
        "tqdm.tqdm": "tqdm",
        "tqdm.auto": "tqdm trange",
        "tqdm.notebook": "tqdm trange",
        "tqdm.std": "tqdm trange",
        "tqdm.rich": "tqdm trange",
    },
    "console": {"rich.console": "Console"},
    "iterator": {
        "builtins": "iter",
        "itertools": "accumulate batched chain combinations combinations_with_replacement "
        "compress count cycle dropwhile filterfalse groupby islice pairwise permutations "
        "product repeat starmap takewhile zip_longest",
        "itertools.chain": "from_iterable",
        "csv": "reader DictReader",
    },
    "file": {
        "builtins": "open",
        "io": "open BytesIO StringIO",
        "codecs": "open",
        "gzip": "open",
        "bz2": "open",
        "lzma": "open",
        "fsspec": "open",
        "os": "fdopen",
        "tempfile": "NamedTemporaryFile SpooledTemporaryFile TemporaryFile",
        "tensorflow.io.gfile": "GFile",
    },
    "session": {
        "requests": "Session session",
        "httpx": "Client",
        "urllib3": "PoolManager",
        "aiohttp": "ClientSession",
    },
    "checkpointer": {
        "orbax.checkpoint": "AsyncCheckpointer CheckpointManager Checkpointer PyTreeCheckpointer "
        "StandardCheckpointer",
    },
}
_KIND_OF = {
    f"{module}.{name}": kind
    for kind, modules in _CONSTRUCTORS.items()
    for module, names in modules.items()
    for name in names.split()
}

_METHODS: dict[str, tuple[str, str]] = {
    "logger": ("log", f"{_LEVELS} trace success msg"),
    "rng": ("rng", f"{_CHOICES} {_NUMPY_DRAWS} integers multivariate_hypergeometric permuted"),
    "path": (
        "io",
        "chmod copy copytree glob hardlink_to iterdir link_to mkdir move open read_bytes "
        "read_text rename replace rglob rmdir rmtree symlink_to touch unlink walk write_bytes "
        "write_text",
    ),
    "writer": (
        "log",
        "add_audio add_custom_scalars add_embedding add_figure add_graph add_histogram "
        "add_histogram_raw add_hparams add_image add_image_with_boxes add_images add_mesh "
        "add_pr_curve add_scalar add_scalars add_text add_video audio histogram hparams image "
        "scalar text write_audios write_histograms write_hparams write_images write_scalars "
        "write_summaries write_texts write_videos",
    ),
    "run": (
        "log",
        "alert append define_metric log log_artifact log_dict log_image log_metric log_metrics "
        "log_other log_param log_parameter log_parameters log_params log_text set_tag track",
    ),
    "progress": (
        "log",
        "clear display refresh set_description set_description_str set_postfix set_postfix_str "
        "update write",
    ),
    "console": ("print", "input log out print print_exception print_json rule"),
    "file": (
        "io",
        "flush read read1 readall readinto readline readlines truncate write writelines",
    ),
    "session": ("io", f"{_REQUESTS} send stream urlopen"),
    "checkpointer": ("io", "restore save delete"),
}
_METHOD_EFFECTS = {
    (kind, name): what for kind, (what, names) in _METHODS.items() for name in names.split()
}


def effect(dotted: str) -> str | None:
    """The effect of calling a function by its full name; None when it has none that we know.

    "print", "log", "io", "clock" (reads or waits for one) or "rng" (draws or seeds).
    """
    return _EFFECT_OF.get(dotted)


def needs_traced(dotted: str) -> bool:
    """Whether a call with an effect is harmless unless a traced value is among its arguments.

    `json.dumps` writes nothing, but cannot serialise a tracer.
    """
    return dotted in _NEEDS_TRACED


def constructed_kind(dotted: str) -> str | None:
    """The kind of object with effects that a call gives, or that a name denotes.

    "logger", "rng", "path", "writer" (TensorBoard), "run" (an experiment tracker), "progress"
    (a progress bar), "console", "iterator", "file", "session" (HTTP) or "checkpointer".
    """
    return _KIND_OF.get(dotted)


def method_effect(kind: str, method: str) -> str | None:
    """The effect of calling a method of an object of this kind, None when it has none."""
    return _METHOD_EFFECTS.get((kind, method))
