# Derived from _async/webhook_server.py by `python -m clientgen.generator.unasync`. DO NOT EDIT.
"""`Webhooks`: answers the admission and conversion reviews of the API server."""

from __future__ import annotations

import logging
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeVar, overload

from .._admission.admission_requests import Denied
from .._admission.admission_review import (
    ReviewError,
    allowed_response,
    defaulted_response,
    encode_object,
    failed_response,
    read_review,
    refused_response,
    typed_request,
)
from .._admission.configurations import Endpoint, configurations, crd_conversions
from .._admission.conversion import (
    ConversionError,
    conversion_failed_response,
    conversion_response,
    read_conversion,
)
from .._admission.installation import Installation
from .._admission.self_signed import SelfSigned
from .._admission.webhook_set import CONVERT_PATH, DEFAULT_OPERATIONS, WebhookSet
from .._models.model import Model
from .._models.unstructured import Unstructured, WholeObject
from .._net.endpoint_messages import EndpointAnswer, EndpointRequest
from .._net.endpoints_base import MAX_BODY_BYTES, parse_address
from .._signals import on_stop_signal
from ._primitives import Event, from_any_thread, result_of
from .http_endpoints import Endpoints

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping
    from ssl import SSLContext
    from types import TracebackType
    from typing import Self, Unpack

    from .._admission.admission_requests import AdmissionRequest, Operation
    from .._admission.conversion import ConversionCall
    from .._admission.webhook_metrics import PrometheusWebhookMetrics
    from .._admission.webhook_options import WebhookOptions
    from .._admission.webhook_set import Action, Webhook
    from .._clock import Clock
    from .._manifests.scheme import Scheme
    from ._primitives import Callback
    from .rest import Rest
    from .webhook_upkeep import WebhookUpkeep

M = TypeVar("M", bound=WholeObject)
SourceT = TypeVar("SourceT", bound=Model)
TargetT = TypeVar("TargetT", bound=Model)

_TITLE: Final = "webhooks"
_JSON: Final = "application/json"
_OK: Final = 200
# A conversion review has all objects of a list.
_MAX_CONVERSION_BYTES: Final = 64 << 20

logger = logging.getLogger("clientgen.runtime.webhooks")


class Webhooks:
    """Calls functions for requests to the API server, before the requests take effect.

        webhooks = Webhooks(":9443", certificates="/certs", scheme=k.scheme)

        @webhooks.validate(CronTab)
        def check(request: AdmissionRequest[CronTab]) -> None:
            if not request.object.spec.schedule:
                raise Denied("spec.schedule must not be empty", code=422)

        webhooks.run()

    The API server calls webhooks over HTTPS, as webhook configurations state; `configurations`
    returns these. The path of a function is the path that controller-runtime would use, such as
    `/validate-stable-example-com-v1-crontab`.

    If a function raises an exception other than `Denied`, the request is refused with code 500, and
    the log has the traceback. The client sees only the name of the exception.

    Args:
        address: The address to listen on, such as `:9443`.
        certificates: The folder with `tls.crt` and `tls.key`. The files are read again when they
            change. `SelfSigned(...)` makes the certificates in the program, and needs a manager.
            None means HTTP without TLS, for tests, and for programs that only use `answer`.
        client_ca: A file with the authorities of the API server's client certificates, in PEM; read
            again when it changes. Clients without such a certificate are refused. None means that
            clients need no certificate.
        scheme: The scheme with the resources of the classes, which `configurations` needs.
        timeout: How many seconds a function may take. The API server waits for 10 seconds, or for
            `timeout_seconds` of the configuration, at most 30.
        grace: How many seconds `close` waits for running functions.

    Raises:
        ValueError: The address is malformed, or `client_ca` is given without certificates.
    """

    def __init__(
        self,
        address: str = ":9443",
        *,
        certificates: str | os.PathLike[str] | SelfSigned | None = None,
        client_ca: str | os.PathLike[str] | None = None,
        scheme: Scheme | None = None,
        timeout: float = 30.0,
        grace: float = 30.0,
    ) -> None:
        parse_address(_TITLE, address)
        if client_ca is not None and certificates is None:
            raise ValueError("client_ca needs TLS: pass certificates=..., too")
        self._address = address
        self._certificates = certificates
        self._client_ca = client_ca
        self._scheme = scheme
        self._timeout = timeout
        self._grace = grace
        self._set = WebhookSet()
        self._endpoints: Endpoints | None = None
        self._metrics: PrometheusWebhookMetrics | None = None  # set by a manager
        self._installation: Installation | None = None
        self._upkeep: WebhookUpkeep | None = None
        self._stopping = Event()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {self._address}: {', '.join(self.paths) or 'none'}>"

    @property
    def paths(self) -> list[str]:
        """The paths of the webhooks."""
        return self._set.paths

    @property
    def url(self) -> str:
        """The URL, after `start`.

        Raises:
            RuntimeError: `start` was not called.
        """
        if self._endpoints is None:
            raise RuntimeError(f"{self!r} is not running: start it first")
        return self._endpoints.url

    # ---- functions ----------------------------------------------------------------------------

    @overload
    def validate(
        self,
        model: type[M],
        function: Callback[[AdmissionRequest[M]], None],
        *,
        operations: Iterable[Operation] = ...,
        path: str = ...,
        **options: Unpack[WebhookOptions],
    ) -> Self: ...
    @overload
    def validate(
        self,
        model: type[M],
        *,
        operations: Iterable[Operation] = ...,
        path: str = ...,
        **options: Unpack[WebhookOptions],
    ) -> Callable[
        [Callback[[AdmissionRequest[M]], None]], Callback[[AdmissionRequest[M]], None]
    ]: ...
    def validate(
        self,
        model: type[M],
        function: Callback[[AdmissionRequest[M]], None] | None = None,
        *,
        operations: Iterable[Operation] = DEFAULT_OPERATIONS,
        path: str = "",
        **options: Unpack[WebhookOptions],
    ) -> Any:
        """Register a function that may refuse requests. Also works as a decorator.

        The function returns nothing. It raises `Denied` to refuse the request, and may call `warn`.

        Args:
            model: The class of the objects; `Unstructured` for objects of any kind, which needs a
                path and rules.
            function: A function, or a coroutine function (in `Webhooks`, an ordinary function).
            operations: The operations of the requests; by default CREATE and UPDATE.
            path: The path, instead of controller-runtime's path.
            **options: Further options of the webhook configuration.

        Raises:
            TypeError: The class has no kind, or the function is not callable.
            ValueError: The path already has a webhook, or an operation is unknown.
        """
        return self._add(
            "validate", model, function, operations=operations, path=path, options=options
        )

    @overload
    def default(
        self,
        model: type[M],
        function: Callback[[AdmissionRequest[M]], None],
        *,
        operations: Iterable[Operation] = ...,
        path: str = ...,
        **options: Unpack[WebhookOptions],
    ) -> Self: ...
    @overload
    def default(
        self,
        model: type[M],
        *,
        operations: Iterable[Operation] = ...,
        path: str = ...,
        **options: Unpack[WebhookOptions],
    ) -> Callable[
        [Callback[[AdmissionRequest[M]], None]], Callback[[AdmissionRequest[M]], None]
    ]: ...
    def default(
        self,
        model: type[M],
        function: Callback[[AdmissionRequest[M]], None] | None = None,
        *,
        operations: Iterable[Operation] = DEFAULT_OPERATIONS,
        path: str = "",
        **options: Unpack[WebhookOptions],
    ) -> Any:
        """Register a function that may change objects before they are stored, also as a decorator.

        The function changes `request.object`. The API server gets the difference as a JSON patch,
        so fields that the class does not know stay as they are. The function must be idempotent:
        called again with its own result, it must change nothing. Arguments and errors are the same
        as for `validate`.
        """
        return self._add(
            "mutate", model, function, operations=operations, path=path, options=options
        )

    def _add(
        self,
        action: Action,
        model: type[Any],
        function: Callable[[Any], Any] | None,
        *,
        operations: Iterable[str],
        path: str,
        options: WebhookOptions,
    ) -> Any:
        if function is not None:
            self._set.add(
                action, model, function, operations=operations, path=path, options=options
            )
            return self

        def decorate(decorated: Callable[[Any], Any]) -> Callable[[Any], Any]:
            self._set.add(
                action, model, decorated, operations=operations, path=path, options=options
            )
            return decorated

        return decorate

    @overload
    def convert(
        self,
        source: type[SourceT],
        target: type[TargetT],
        function: Callback[[SourceT], TargetT],
    ) -> Self: ...
    @overload
    def convert(
        self, source: type[SourceT], target: type[TargetT]
    ) -> Callable[[Callback[[SourceT], TargetT]], Callback[[SourceT], TargetT]]: ...
    def convert(
        self,
        source: type[SourceT],
        target: type[TargetT],
        function: Callback[[SourceT], TargetT] | None = None,
    ) -> Any:
        """Register a function that converts objects to another version. Also works as a decorator.

        If two versions have no direct function, objects are converted in several steps. So a kind
        only needs functions from and to one version, usually the stored version.

        The function returns a new object with the metadata of the old object. Labels and
        annotations may differ. The function may raise `Denied` with a message for the client.

        Raises:
            TypeError: A class has no kind, or the function is not callable.
            ValueError: The classes are not two versions of one kind, or already have a function.
        """
        if function is not None:
            self._set.add_conversion(source, target, function)
            return self

        def decorate(decorated: Callable[[Any], Any]) -> Callable[[Any], Any]:
            self._set.add_conversion(source, target, decorated)
            return decorated

        return decorate

    # ---- manifests ----------------------------------------------------------------------------

    def configurations(
        self,
        name: str,
        *,
        service: str = "",
        port: int = 443,
        url: str = "",
        ca_bundle: str | bytes = "",
        annotations: Mapping[str, str] | None = None,
        **defaults: Unpack[WebhookOptions],
    ) -> list[Unstructured]:
        """Return the manifests that make the API server call the webhooks.

        Args:
            name: The name of the configurations.
            service: The service in front of the webhooks, as `NAMESPACE/NAME`.
            port: The port of the service.
            url: The URL of the webhooks instead of a service.
            ca_bundle: The certificate authority, in PEM. If it is empty, another program, such as
                cert-manager, has to write the authority into the configurations.
            annotations: Annotations of the configurations, such as
                `{"cert-manager.io/inject-ca-from": "NAMESPACE/CERTIFICATE"}`.
            **defaults: Default options for all webhooks.

        Returns:
            A MutatingWebhookConfiguration and a ValidatingWebhookConfiguration. A configuration
            without webhooks is left out.

        Raises:
            LookupError: The scheme does not know the resource of a class.
            ValueError: Both or neither of `service` and `url` are given, or an argument is
                malformed.
        """
        endpoint = Endpoint(service, port, url, ca_bundle)
        return configurations(
            self._set,
            name,
            endpoint,
            scheme=self._scheme,
            defaults=defaults,
            annotations=annotations or {},
        )

    def crd_conversions(
        self, *, service: str = "", port: int = 443, url: str = "", ca_bundle: str | bytes = ""
    ) -> list[Unstructured]:
        """Return the `spec.conversion` of each CustomResourceDefinition with conversions.

        The manifests are incomplete: use them as patches of kustomize, or for server-side apply.
        Arguments and errors are the same as for `configurations`.
        """
        return crd_conversions(self._set, Endpoint(service, port, url, ca_bundle), self._scheme)

    def install(
        self,
        name: str,
        *,
        service: str = "",
        port: int = 443,
        url: str = "",
        ca_bundle: str | bytes = "",
        annotations: Mapping[str, str] | None = None,
        crds: Iterable[Model | Mapping[str, Any]] = (),
        **defaults: Unpack[WebhookOptions],
    ) -> Self:
        """Write the configurations when the manager starts, by server-side apply.

        The arguments are those of `configurations`. With `SelfSigned`, `service` defaults to its
        first service, and `ca_bundle` is its authority. Webhooks that other programs have added to
        the configurations stay; those that an older release of this program applied are removed.
        The configurations stay when the program ends.

        Args:
            name: The name of the configurations.
            service: The service in front of the webhooks, as `NAMESPACE/NAME`.
            port: The port of the service.
            url: The URL of the webhooks instead of a service.
            ca_bundle: The certificate authority, in PEM.
            annotations: Annotations of the configurations.
            crds: CustomResourceDefinitions to apply, too, before the configurations. A definition
                with conversions gets its `spec.conversion`, also if it is not one of these.
            **defaults: Default options for all webhooks.

        Raises:
            TypeError: A definition is no object.
            ValueError: An argument is malformed.
        """
        self._installation = Installation(
            name=name,
            service=service,
            port=port,
            url=url,
            ca_bundle=ca_bundle,
            annotations=annotations or {},
            defaults=defaults,
            crds=[Unstructured.of(crd) for crd in crds],
        )
        return self

    # ---- answers ------------------------------------------------------------------------------

    def answer(self, path: str, body: bytes) -> tuple[int, bytes]:
        """Answer one review without a socket, for tests.

        Args:
            path: The path of the URL.
            body: An AdmissionReview or a ConversionReview, as JSON.

        Returns:
            The HTTP status and the body: 200 with a review; 400 with a text if the body is not a
            review that the webhook can answer; 404 with a text for an unknown path.
        """
        path = path.partition("?")[0]
        try:
            if path == CONVERT_PATH and self._set.conversions:
                return _OK, self._convert(body)
            webhook = self._set.find(path)
            if webhook is not None:
                return _OK, self._admit(webhook, body)
        except ReviewError as error:
            logger.warning("%s: the review is refused: %s", path, error)
            return 400, f"{error}\n".encode()
        return 404, f"no webhook has this path; the paths are {', '.join(self.paths)}\n".encode()

    def _admit(self, webhook: Webhook, body: bytes) -> bytes:
        call = read_review(body)
        request = typed_request(call, webhook.model)
        mutates = webhook.action == "mutate"
        try:
            before = encode_object(call, request) if mutates else b""
            _check_result(result_of(webhook.function, request))
            return (
                defaulted_response(call, request, before) if mutates else allowed_response(request)
            )
        except Denied as denied:
            return refused_response(request, denied)
        except (Exception, SystemExit) as error:  # a request must not end the program
            logger.exception("%s failed for %s (uid %s)", webhook.title, call.title, call.uid)
            name = type(error).__name__
            return failed_response(
                call.uid, f"{webhook.title} failed with {name}; its log says why"
            )

    def _convert(self, body: bytes) -> bytes:
        call = read_conversion(body)
        try:
            return conversion_response(
                call, [self._convert_object(call, bytes(o)) for o in call.objects]
            )
        except ConversionError as error:
            logger.warning("a conversion to %s failed: %s", call.desired, error)
            return conversion_failed_response(call, str(error))

    def _convert_object(self, call: ConversionCall, data: bytes) -> bytes:
        title, steps = self._set.conversions.path_of(data, call.desired)
        try:
            for step in steps:
                data = step.write(data, result_of(step.function, step.read(data)))
        except (ConversionError, Denied) as error:
            raise ConversionError(f"{title}: {error}") from None
        except Exception as error:
            logger.exception("the conversion of %s to %s failed", title, call.desired)
            name = type(error).__name__
            raise ConversionError(f"{title}: the conversion failed with {name}") from None
        return data

    # ---- serving ------------------------------------------------------------------------------

    def start(self) -> None:
        """Start serving.

        Raises:
            ConfigError: The certificate is missing or invalid.
            OSError: The address cannot be listened on; the message says why.
            RuntimeError: `start` was called before, or `SelfSigned` or `install` has no manager.
        """
        if self._endpoints is not None:
            raise RuntimeError(f"{self!r} has already started; create a new one")
        tls = self._tls_context()
        endpoints = Endpoints(
            _TITLE,
            self._address,
            self._respond,
            tls=tls,
            max_body=_MAX_CONVERSION_BYTES if self._set.conversions else MAX_BODY_BYTES,
            timeout=self._timeout,
        )
        endpoints.start()
        self._endpoints = endpoints
        logger.info("answering reviews at %s", endpoints.url)

    def _tls_context(self) -> SSLContext | None:
        needs_manager = self._installation or isinstance(self._certificates, SelfSigned)
        if needs_manager and self._upkeep is None:
            raise RuntimeError(
                f"{self!r} has SelfSigned certificates or `install`, which need a manager: create"
                " the webhooks with manager.webhooks(...)"
            )
        if self._certificates is None:
            return None
        from .._net.served_certificates import ClientAuthorities, ServedCertificates  # imports ssl

        client_ca = None if self._client_ca is None else ClientAuthorities(self._client_ca)
        if not isinstance(self._certificates, SelfSigned):
            return ServedCertificates(self._certificates, client_ca).context
        from .._config.served_pair import ServedPair

        upkeep = self._upkeep
        assert upkeep is not None
        return ServedPair(lambda: upkeep.pair, client_ca).context

    def _start_in_manager(self, rest: Rest, clock: Clock) -> WebhookUpkeep | None:
        """Start serving. Returns the work that the manager has to run beside; None for none."""
        certificates = self._certificates if isinstance(self._certificates, SelfSigned) else None
        if certificates is not None or self._installation is not None:
            from .webhook_upkeep import WebhookUpkeep as Upkeep  # few programs need it

            self._upkeep = Upkeep(
                rest,
                clock,
                webhook_set=self._set,
                scheme=self._scheme,
                certificates=certificates,
                installation=self._installation,
                address=lambda: self._endpoints.address if self._endpoints is not None else "",
            )
        self.start()
        return self._upkeep

    def ready(self) -> bool:
        """Return whether the server is running, and clients trust its certificate.

        The second is known for `SelfSigned` certificates only.
        """
        try:
            self._check_ready()
        except RuntimeError:
            return False
        return True

    def _check_ready(self) -> None:
        """Check that the server is ready.

        Raises:
            RuntimeError: It is not. The message says why.
        """
        if self._endpoints is None or self._stopping.is_set():
            raise RuntimeError("the server of the webhooks is not running")
        if self._upkeep is not None:
            self._upkeep.check_ready()

    def close(self) -> None:
        """Accept no more requests, and wait for running functions, for at most `grace` seconds."""
        self._stopping.set()
        if self._endpoints is not None:
            self._endpoints.stop(self._grace)

    def run(self) -> None:
        """Serve until `stop` is called; in the main thread, SIGTERM and SIGINT call `stop`.

        On cancellation, `run` waits for running functions, as `close` does.

        Raises:
            ConfigError: The certificate is missing or invalid.
            OSError: The address cannot be listened on; the message says why.
        """
        forget = on_stop_signal(from_any_thread(self.stop))
        try:
            with self:
                self._stopping.wait()
        finally:
            forget()

    def stop(self) -> None:
        """Make `run` return."""
        self._stopping.set()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _respond(self, request: EndpointRequest) -> EndpointAnswer:
        if request.method != "POST":
            return EndpointAnswer(405, b"reviews are sent by POST\n", headers=(("Allow", "POST"),))
        if request.headers.get("Content-Type", "").partition(";")[0].strip() != _JSON:
            return EndpointAnswer(415, b"reviews are application/json\n")
        if len(request.body) > MAX_BODY_BYTES and request.path != CONVERT_PATH:
            return EndpointAnswer(413, b"the body is larger than a review can be\n")
        status, body = self._answer_counted(request.path, request.body)
        if status != _OK:
            return EndpointAnswer(status, body)
        return EndpointAnswer(status, body, _JSON)

    def _answer_counted(self, path: str, body: bytes) -> tuple[int, bytes]:
        """Answer a review, and count it if its path is known."""
        if self._metrics is None or path not in self.paths:
            return self.answer(path, body)
        begin, status = perf_counter(), None
        self._metrics.review_started(path)
        try:
            status, answer = self.answer(path, body)
            return status, answer
        finally:
            self._metrics.review_ended(path, status, perf_counter() - begin)


def _check_result(result: object) -> None:
    """Check that a function returned None, because a returned value would have no effect.

    Raises:
        TypeError: The function returned a value.
    """
    if result is not None:
        raise TypeError(
            "the function returned a value; it must return None, and raise Denied to refuse"
        )
